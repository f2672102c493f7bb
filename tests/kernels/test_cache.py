"""Kernels are compiled once per machine: a second process takes all of them from the disk cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yawara
from yawara.kernels.sources import Source, sources_of

PROGRAM = """
import yawara as yw
from yawara.methods.evaluate import add_forces
from yawara.methods.explicit import advance
law = yw.ThreeElement(k1=100.0, c1=1.0, c2=100.0)
body = yw.Truss(counts=(4, 4, 4), spacing=0.01, density=1000.0, law=law)
yw.simulate(yw.Scene(time=yw.Time(end=0.01, frame=0.01), body={"block": body}))
for kernel in (advance, add_forces):
    stats = kernel.dispatcher.stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_second_process_compiles_nothing():
    for _ in range(2):
        output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["1", "0", "1", "0"]


def test_another_copy_of_the_package_has_kernels_of_its_own(tmp_path):
    """Numba keeps kernels by the place of their source: a mark that they are compiled must not count for another place."""
    package = Path(yawara.__file__).parent
    shutil.copytree(package, tmp_path / "yawara", ignore=shutil.ignore_patterns("__pycache__"))
    program = "import yawara; from yawara.methods.explicit import advance; print(yawara.__file__, advance.directory)"
    found = {}
    for place in (package.parent, tmp_path):
        environment = {**os.environ, "PYTHONPATH": str(place)}
        output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
        file, directory = output.stdout.split()
        assert Path(file).parent.parent == place
        found[place] = directory
    assert found[package.parent] != found[tmp_path]


def test_a_kernel_knows_what_it_is_made_from():
    """Its own file, and what that imports, through others: but no other force term."""
    rooms = Path(yawara.__file__).parent / "terms"
    names = {
        str(path.relative_to(rooms.parent))
        for path in sources_of(Source(rooms / "links" / "kernels.py", "yawara.terms.links.kernels"))
    }
    assert {"terms/links/kernels.py", "terms/links/vector.py", "laws/block.py", "core/stages.py", "kernels/records.py"} <= names
    assert not [name for name in names if name.startswith("terms/") and not name.startswith("terms/links/")]


def test_a_change_in_one_term_compiles_that_term(tmp_path):
    """The digest of a file changes with whatever it imports, and with nothing else."""
    package = tmp_path / "yawara"
    shutil.copytree(Path(yawara.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from yawara.kernels.sources import PACKAGE, Source, digest_of\n"
        "for name in ('terms/links/kernels', 'terms/cells/kernels', 'methods/explicit'):\n"
        "    print(digest_of(Source(PACKAGE / f'{name}.py', f'yawara.{name}'.replace('/', '.'))))"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def digests():
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
        ).stdout.split()

    before = digests()
    (package / "terms/links/vector.py").open("a").write("\n# changed\n")
    after = digests()
    assert [one == two for one, two in zip(before, after, strict=True)] == [False, True, True]


KERNELS = """
import numpy as np
import other
from . import helper as h
from ..shapes import (
    area,
)
from clay.deep import x
"""


def test_a_kernel_of_another_package_knows_its_helpers(tmp_path):
    """Absolute and relative imports of its own package; nothing of NumPy's, nor of packages that lie beside its own."""
    files = {
        "clay/__init__.py": "",
        "clay/shapes/__init__.py": "from .round import area",
        "clay/shapes/round.py": "import math",
        "clay/terms/__init__.py": "",
        "clay/terms/kernels.py": KERNELS,
        "clay/terms/helper.py": "from yawara.core.stages import FREEZE",
        "clay/deep.py": "import clay.deeper, numba",
        "clay/deeper.py": "x = 1",
        "clay/unused.py": "",
        "other/__init__.py": "",
        "numpy/__init__.py": "",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = sources_of(Source(tmp_path / "clay/terms/kernels.py", "clay.terms.kernels"))
    own = {str(path.relative_to(tmp_path)) for path in found if path.is_relative_to(tmp_path)}
    shapes, terms = (
        {"clay/shapes/__init__.py", "clay/shapes/round.py"},
        {"clay/terms/__init__.py", "clay/terms/kernels.py", "clay/terms/helper.py"},
    )
    assert own == shapes | terms | {"clay/deep.py", "clay/deeper.py"}
    assert any(path.name == "stages.py" for path in found)


def test_a_file_that_is_no_part_of_a_package_has_its_helpers_beside_it(tmp_path):
    files = {
        "term.py": "import numba\nfrom help_it import (  # one\n    f,  # (two)\n)\nfrom tools import cut; import \\\n    last",
        "help_it.py": "import more",
        "more.py": "",
        "last.py": "",
        "idle.py": "",
        "tools/__init__.py": "",
        "tools/cut.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    source = Source(tmp_path / "term.py", "term")
    found = {str(path.relative_to(tmp_path)) for path in sources_of(source)}
    assert found == set(files) - {"idle.py"}

    shown = f"Source(Path({str(source.path)!r}), 'term')"
    program = f"from pathlib import Path\nfrom yawara.kernels.sources import Source, digest_of\nprint(digest_of({shown}))"

    def digest():
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    before = digest()
    assert digest() == before
    (tmp_path / "more.py").write_text("x = 2")
    assert digest() != before


def test_what_lies_beside_an_installed_module_is_not_its_helper(tmp_path):
    place = tmp_path / "site-packages"
    (place / "numpy").mkdir(parents=True)
    for name in ("numpy/__init__.py", "beside.py"):
        (place / name).touch()
    (place / "term.py").write_text("import numpy, beside")
    assert {path.name for path in sources_of(Source(place / "term.py", "term"))} == {"term.py", "beside.py"}
