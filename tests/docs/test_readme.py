"""What the README shows works as shown."""

import re
from pathlib import Path

from yawara import load_scene
from yawara.scene.file import scene_data

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)[1]


def test_python_example_runs_and_is_rheological(capsys):
    space = {}
    exec(block("python"), space)
    pressed, returned, residual = (float(value) for value in re.findall(r"(-?[0-9.]+) m[,\n]", capsys.readouterr().out)[:3])
    assert pressed == 0.01
    assert 0.2 * pressed < returned < 0.8 * pressed
    top = space["result"].history["press.displacement_z"]
    assert residual == round(-top[-1], 4)


def test_scene_file_is_the_python_scene(tmp_path):
    """The TOML block and the Python block describe the same scene, but for the name."""
    path = tmp_path / "scene.toml"
    path.write_text(block("toml"), encoding="utf-8")
    space = {}
    exec(block("python"), space)
    one, other = scene_data(load_scene(path)), scene_data(space["scene"])
    one.pop("name"), other.pop("name")
    assert one == other


def test_pictures_and_pages_exist():
    for target in re.findall(r"\]\(([^)#]+?)\)", README):
        assert (ROOT / target).exists(), target
