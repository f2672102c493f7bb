"""Formulas as MathML, which browsers draw by themselves: pages need no script and no network.

Reads the part of LaTeX that these pages use; anything else is an error that names it.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

GREEK = {name: chr(0x3B1 + n) for n, name in enumerate(
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "_", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"]
)}  # fmt: skip
SIGNS = {
    "le": "≤", "ge": "≥", "ne": "≠", "cdot": "·", "times": "×", "infty": "∞", "to": "→", "approx": "≈", "ll": "≪", "gg": "≫",
    "sum": "∑", "Delta": "Δ", "pm": "±", "dots": "…", "{": "{", "}": "}", "|": "‖",
}  # fmt: skip
FUNCTIONS = {"exp", "ln", "max", "min", "sgn", "sin", "cos"}
SPACES = {",": "0.17em", ";": "0.28em", "quad": "1em", "qquad": "2em", " ": "0.28em"}
ITALIC_A = 0x1D44E  # browsers slant single letters only, not those with a dot
RATE = "\u0307"  # a dot above the letter before it: fonts place it better than a row of its own


class Formula:
    """A reader that turns one formula into MathML."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = re.findall(r"\\[a-zA-Z]+|\\.|[a-zA-Z]|[0-9]+(?:\.[0-9]+)?|\S", latex)
        self.place = 0

    def mathml(self, *, block: bool) -> str:
        inner = self.row(end=None)
        return f'<math display="{"block" if block else "inline"}">{inner}</math>'

    @property
    def next(self) -> str | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        token = self.next
        if token is None or (expected is not None and token != expected):
            raise SphinxError(f"formula '{self.latex}': {expected or 'more'} is due after {self.tokens[: self.place]}")
        self.place += 1
        return token

    def row(self, end: str | None, *others: str) -> str:
        """Everything until a closing token, which stays."""
        items = []
        while self.next is not None and self.next not in (end, *others):
            items.append(self.scripted())
        return f"<mrow>{''.join(items)}</mrow>"

    def scripted(self) -> str:
        """An item with what hangs below and above it."""
        limits = self.next in (r"\sum", r"\max", r"\min")
        base, below, above = self.item(), "", ""
        while self.next in ("_", "^"):
            if self.take() == "_":
                below = self.item()
            else:
                above = self.item()
        kinds = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
        if not below and not above:
            return base
        kind = kinds[2] if below and above else kinds[0] if below else kinds[1]
        return f"<{kind}>{base}{below}{above}</{kind}>"

    def group(self) -> str:
        self.take("{")
        inner = self.row("}")
        self.take("}")
        return inner

    def words(self) -> str:
        """The letters of {...} as they are."""
        self.take("{")
        letters = ""
        while self.next not in ("}", None):
            letters += self.take().replace("\\", "")
        self.take("}")
        return letters

    def item(self) -> str:
        token = self.next
        if token == "{":
            return self.group()
        self.take()
        assert token is not None
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "([)]|/":
            return f'<mo stretchy="false" lspace="0" rspace="0">{token}</mo>'
        return f"<mo>{escape({'-': '−', '*': '∗', chr(39): '′'}.get(token, token))}</mo>"

    def command(self, name: str) -> str:
        if name in GREEK:
            return f"<mi>{GREEK[name]}</mi>"
        if name in SIGNS:
            return f"<mo>{SIGNS[name]}</mo>"
        if name in FUNCTIONS:
            return f'<mi>{name}</mi><mspace width="0.17em"/>' if self.next not in ("(", "_") else f"<mi>{name}</mi>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name == "dot":
            return _with_dot(self.take())
        if name == "frac":
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.group()}</msqrt>"
        if name in ("mathrm", "text"):
            return f"<mtext>{escape(self.words())}</mtext>"
        if name == "left":
            opening, inner = self.take(), self.row(r"\right")
            self.take(r"\right")
            return f"<mrow><mo>{opening}</mo>{inner}<mo>{self.take()}</mo></mrow>"
        raise SphinxError(f"formula '{self.latex}': \\{name} is not known; add it to docs/_ext/mathml.py")


def _with_dot(letter: str) -> str:
    """Math fonts put the dot of a tall letter into the letter; text fonts have one made for it."""
    if letter == "d":
        return '<mi style="font: italic 1.05em serif">\u1e0b</mi>'
    return f"<mi>{chr(ITALIC_A + ord(letter) - ord('a'))}{RATE}</mi>"


def _inline(translator: Any, node: nodes.Element) -> None:
    translator.body.append(Formula(node.astext()).mathml(block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Element) -> None:
    translator.body.append(Formula(node.astext()).mathml(block=True))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
