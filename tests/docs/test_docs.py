"""The documentation says what the code does: its scenes are valid, its tables complete, its links lead somewhere."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

import yawara
from yawara.core.options import Options
from yawara.laws import LAWS
from yawara.materials import PRESETS
from yawara.methods import SCHEMES
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene
from yawara.studies import STUDIES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]

sys.path.insert(0, str(DOCS / "_ext"))
from scene_fields import reachable_models, rows  # noqa: E402


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def complete_scenes():
    """TOML blocks with a line `format = ...`: that is what marks a whole scene."""
    for page in PAGES:
        for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
            if re.search(r"^format\s*=", block, re.MULTILINE):
                yield pytest.param(block, id=f"{page.name}-{number}")


def test_there_are_scenes_to_check():
    assert len(list(complete_scenes())) >= 2


@pytest.mark.parametrize("block", list(complete_scenes()))
def test_scenes_on_the_pages_are_valid(block):
    scene = read_scene(tomllib.loads(block))
    assert yawara.compile_scene(scene).model.point_count > 0  # builds bodies and selections, runs nothing


def tables():
    """(model, model whose fields are left out) of every scene-table on the page of the format."""
    for path, without in re.findall(r"```\{scene-table\} (\S+)\n(?::without: (\S+)\n)?```", text_of("scene-format.md")):
        yield tuple(
            getattr(sys.modules[name.partition(":")[0]], name.partition(":")[2]) if name else None for name in (path, without)
        )


def test_every_field_of_the_format_is_in_a_table():
    shown = {model: {row.name for row in rows(model, without=without)} for model, without in tables()}
    shared = {model: shown[without] for model, without in tables() if without}
    for model in reachable_models(Scene):
        if Options in model.__bases__:
            continue  # its fields are those of the packages that bring some
        assert model in shown, f"{model.__name__} has no scene-table in docs/scene-format.md"
        assert shown[model] | shared.get(model, set()) == set(model.model_fields)


def test_every_table_of_a_scene_has_a_heading():
    wanted = [row.name for row in rows(Scene) if "table" in row.type]
    assert {"body", "term", "method", "fix", "time"} <= set(wanted)
    assert [name for name in wanted if not re.search(rf"^## `\[+{name}[.\]]", text_of("scene-format.md"), re.MULTILINE)] == []


def test_every_number_in_the_tables_has_a_unit_and_every_field_a_meaning():
    for model, without in tables():
        for row in rows(model, without=without):
            assert row.meaning, f"{model.__name__}.{row.name}: describe it in its Field"
            assert row.unit or "whole" in row.type or "number" not in row.type, f"{model.__name__}.{row.name}: no unit"


def slug(heading):
    """As the page generator makes anchors of headings."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page):
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"^[a-z-]+$", text_of("index.md"), re.MULTILINE))
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} == listed


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("laws.md", [name for name, law in LAWS.items() if law.__module__.startswith("yawara.")]),
        ("integrators.md", SCHEMES),
        ("materials.md", PRESETS),
        ("studies.md", STUDIES),
        ("bodies.md", ["chain", "sheet", "lattice", "truss", "mesh", "filled"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_that_can_be_chosen_is_missing(page, names):
    text = text_of(page)
    assert [name for name in names if f"`{name}`" not in text and f'`"{name}"`' not in text] == []


def test_every_key_of_the_summary_and_every_energy_is_explained():
    from yawara.summary import summarise

    scene = Scene.model_validate({
        "time": {"end": 0.01, "frame": 0.005},
        "body": {"block": {"shape": "truss", "counts": [2, 2, 2], "spacing": 1.0, "mass": 1.0, "inversion_barrier": {},
                           "law": {"type": "voigt", "k": 1.0, "c": 1.0}}},
        "tool": {"table": {"shape": "floor", "origin": [0.0, 0.0, -1.0]}},
    })  # fmt: skip
    result = yawara.simulate(scene)
    summary = summarise(result, wall_time=1.0)
    text = text_of("running.md")
    keys = [*summary, *summary["stepping"], *summary["bodies"]["block"], *summary["figures"]["time"]]
    assert [key for key in keys if f"`{key}`" not in text] == []
    columns = [name for name in result.history.names if name.startswith(("energy.", "contact."))]
    assert {"energy.barriers", "energy.contact", "contact.penetration"} <= set(columns)
    assert [name for name in columns if f"`{name}`" not in text] == []
