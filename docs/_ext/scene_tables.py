"""The directive `scene-table`: the fields of a scene model as a table, made when the page is built.

```{scene-table} yawara.scene.bodies:Chain
:without: yawara.scene.bodies:Body
```
"""

import re
from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from scene_fields import Row, rows
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HEADINGS = ("Field", "Type", "Unit", "Default", "Condition", "Meaning")
WIDTHS = (14, 14, 9, 16, 20, 27)


class SceneTable(SphinxDirective):
    """A table of fields; `:without:` names a model whose fields are shown elsewhere."""

    required_arguments = 1
    option_spec = {"without": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        without = _model(self.options["without"]) if "without" in self.options else None
        return [_table(rows(_model(self.arguments[0]), without=without))]


def _model(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _table(fields: list[Row]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in WIDTHS), cols=len(WIDTHS))
    group += nodes.thead("", _line(HEADINGS))
    lines = [_line((f"`{row.name}`", row.type, _raised(row.unit), row.default, row.condition, row.meaning)) for row in fields]
    group += nodes.tbody("", *lines)
    return nodes.table("", group, classes=["scene-table"])


def _line(cells: tuple[str, ...]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *_words(cell))) for cell in cells))


def _raised(unit: str) -> str:
    return unit.replace("^2", "²").replace("^3", "³")


def _words(text: str) -> list[nodes.Node]:
    """Text with `code` in it."""
    parts = re.split(r"`([^`]+)`", text)
    return [nodes.literal(part, part) if n % 2 else nodes.Text(part) for n, part in enumerate(parts) if part]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("scene-table", SceneTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
