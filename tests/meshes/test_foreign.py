"""Readers of other libraries, in a process with limits: what they never finish, or what breaks them, is refused."""

import numpy as np
import pytest

import yawara.meshes.foreign as foreign
from surfaces import icosphere
from yawara.meshes.errors import MeshError
from yawara.meshes.foreign import UnreadableError, read_foreign
from yawara.meshes.surface import read_surface
from yawara.meshes.tetra import read_cells


def test_a_file_that_is_read_for_ever_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "CPU_SECONDS", 1.0)
    (tmp_path / "h.msh").write_bytes(b"(2 3")
    with pytest.raises(MeshError, match=r"h.msh: cannot be read as a mesh \(its reader did not come to an end"):
        read_cells(tmp_path / "h.msh")


def test_what_needs_too_much_memory_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "MEMORY", 1 << 30)
    text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty list uint uint x\nend_header\n" + "4000000000 1\n" * 3
    (tmp_path / "claims.ply").write_text(text)
    with pytest.raises(MeshError, match="cannot be read as a surface"):
        read_surface(tmp_path / "claims.ply")


@pytest.mark.parametrize("kind", ["cells", "surface", "points"])
def test_a_file_that_is_none_is_refused_with_the_readers_words(tmp_path, kind):
    (tmp_path / "it.ply").write_bytes(bytes(range(256)))
    with pytest.raises(UnreadableError, match=r"ply|PLY|magic"):
        read_foreign(kind, tmp_path / "it.ply")


def test_a_reader_that_is_not_there_is_told(tmp_path, monkeypatch):
    """As if it had crashed: whatever it ends with, it is no answer."""
    monkeypatch.setattr(foreign.sys, "executable", "/bin/false")
    (tmp_path / "it.obj").write_text("v 0 0 0\n")
    with pytest.raises(UnreadableError, match=r"its reader broke down .* with status 1"):
        read_foreign("points", tmp_path / "it.obj")


@pytest.mark.parametrize("size", [1e200, 1e12])
def test_vertices_beyond_all_worlds_are_refused_by_their_size(tmp_path, size):
    position, triangles = icosphere(1)
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in np.asarray(position) * size]
    lines += [f"f {a} {b} {c}" for a, b, c in np.asarray(triangles) + 1]
    (tmp_path / "huge.obj").write_text("\n".join(lines) + "\n")
    with pytest.raises(MeshError, match=r"huge.obj: coordinates must be within 1e\+09 m \(got .*check the file and its unit"):
        read_surface(tmp_path / "huge.obj")
