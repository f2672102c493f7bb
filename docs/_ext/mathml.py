"""Formulas as MathML, which browsers draw by themselves: pages need no script and no network.

Reads the part of LaTeX that these pages use; anything else is an error that names it.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

LETTERS = {
    "omega": "ω", "phi": "φ", "kappa": "κ", "Delta": "Δ", "epsilon": "ε", "eta": "η", "lambda": "λ", "mu": "μ", "nu": "ν", "rho": "ρ",
    "tau": "τ",
}  # fmt: skip
SIGNS = {"le": "≤", "ge": "≥", "cdot": "·", "times": "×", "infty": "∞", "sum": "∑", "int": "∫", "partial": "∂", "ldots": "…"}
FUNCTIONS = {"cos", "det", "exp", "ln", "max", "min", "sgn"}
SPACES = {",": "0.17em", "quad": "1em", "qquad": "2em"}
ITALIC_A, ITALIC_CAPITAL_A = 0x1D44E, 0x1D434  # browsers slant single letters only, not those with a dot
RATE = "\u0307"  # a dot above the letter before it: fonts place it better than a row of its own


class Formula:
    """A reader that turns one formula into MathML."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = re.findall(r"\\[a-zA-Z]+|\\.|[a-zA-Z]|[0-9]+(?:\.[0-9]+)?|\S", latex)
        self.place = 0

    def mathml(self, *, block: bool) -> str:
        return f'<math display="{"block" if block else "inline"}">{self.row(end=None)}</math>'

    @property
    def next(self) -> str | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        token = self.next
        if token is None or (expected is not None and token != expected):
            raise SphinxError(f"formula '{self.latex}': {expected or 'more'} is due after {self.tokens[: self.place]}")
        self.place += 1
        return token

    def row(self, end: str | None) -> str:
        """Everything until a closing token, which stays."""
        items = []
        while self.next not in (end, None):
            items.append(self.scripted())
        return f"<mrow>{''.join(items)}</mrow>"

    def scripted(self) -> str:
        """An item with what hangs below and above it."""
        limits = self.next == r"\sum"
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
            letters += self.take()
        self.take("}")
        return letters

    def item(self) -> str:
        if self.next == "{":
            return self.group()
        token = self.take()
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "([)]|/":
            return f'<mo stretchy="false" lspace="0" rspace="0">{token}</mo>'
        return f"<mo>{escape(token.replace('-', '−'))}</mo>"

    def command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
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
        if name == "tfrac":  # as small as in a line of text
            return f'<mstyle displaystyle="false"><mfrac>{self.group()}{self.group()}</mfrac></mstyle>'
        if name == "mathrm":
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
    italic = ITALIC_CAPITAL_A + ord(letter) - ord("A") if letter.isupper() else ITALIC_A + ord(letter) - ord("a")
    return f"<mi>{chr(italic)}{RATE}</mi>"


def _inline(translator: Any, node: nodes.Element) -> None:
    translator.body.append(Formula(node.astext()).mathml(block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Element) -> None:
    translator.body.append(Formula(node.astext()).mathml(block=True))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
