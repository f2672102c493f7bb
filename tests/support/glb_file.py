"""A reader of GLB that shares no code with the writer, and the rules of glTF 2.0 that a validator would hold a file to.

Source: Khronos glTF 2.0 specification; the numbers are those of its chapters.
"""

import json
import struct

import numpy as np
import pytest

KINDS = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "<u1"}  # 3.6.2.2
COLUMNS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
VERTICES, INDICES = 34962, 34963


class Glb:
    """The parts of a file, by content."""

    def __init__(self, data):
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert (kind, size % 4) == (b"JSON", 0)
        self.json = json.loads(data[20 : 20 + size], parse_constant=lambda word: 1 / 0)  # neither NaN nor Infinity
        rest, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert (kind, rest % 4, rest) == (b"BIN\0", 0, len(data) - 28 - size)
        self.binary = data[28 + size :]

    def array(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind, columns = KINDS[accessor["componentType"]], COLUMNS[accessor["type"]]
        rows = np.frombuffer(self.binary, kind, accessor["count"] * columns, view["byteOffset"]).reshape(-1, columns)
        assert rows.min(axis=0).tolist() == accessor["min"]
        assert rows.max(axis=0).tolist() == accessor["max"]
        return rows

    def frame(self, key, mesh=0, name="POSITION"):
        """What a viewer shows at a key frame: base + sum of weight * displacement."""
        primitive = self.json["meshes"][mesh]["primitives"][0]
        weights = self.array(self.json["animations"][0]["samplers"][0]["output"]).reshape(-1, len(primitive["targets"]))
        moved = self.array(primitive["attributes"][name]).copy()
        for weight, target in zip(weights[key], primitive["targets"], strict=True):
            moved += weight * self.array(target[name])
        return moved


def valid(data):
    """The parts of a file that keeps the rules; AssertionError if it does not."""
    glb = Glb(data)
    assert glb.json["asset"]["version"] == "2.0"
    assert glb.json["buffers"] == [{"byteLength": len(glb.binary)}]  # 4.4.3.3
    _check_views(glb)
    for mesh in glb.json["meshes"]:
        for primitive in mesh["primitives"]:
            _check_primitive(glb, mesh, primitive)
    _check_nodes(glb)
    for animation in glb.json.get("animations", ()):
        _check_animation(glb, animation)
    used = _used_accessors(glb)
    assert used == set(range(len(glb.json["accessors"])))  # a validator warns of what nobody uses
    return glb


def _check_views(glb):
    """Chapter 3.6: inside the buffer, aligned, as long as what is in them; values are finite."""
    for index, accessor in enumerate(glb.json["accessors"]):
        view = glb.json["bufferViews"][accessor["bufferView"]]
        rows = glb.array(index)
        assert view["byteOffset"] % 4 == 0
        assert view["byteLength"] == rows.nbytes
        assert view["byteOffset"] + view["byteLength"] <= len(glb.binary)
        assert rows.strides[0] % 4 == 0 or view.get("target") != VERTICES  # 3.6.2.4: vertex attributes
        assert np.isfinite(rows).all()


def _check_primitive(glb, mesh, primitive):
    """Chapter 3.7: as many of every attribute, indices of points that are there, unit normals, colours from 0 to 1."""
    attributes = primitive["attributes"]
    position = glb.array(attributes["POSITION"])
    targets = primitive.get("targets", [])
    assert len(mesh.get("weights", [])) == len(targets)
    for accessor in (*attributes.values(), *(one for target in targets for one in target.values())):
        view = glb.json["bufferViews"][glb.json["accessors"][accessor]["bufferView"]]
        assert (len(glb.array(accessor)), view["target"]) == (len(position), VERTICES)
    assert all(set(target) <= set(attributes) for target in targets)
    indices = glb.array(primitive["indices"])
    assert glb.json["bufferViews"][glb.json["accessors"][primitive["indices"]]["bufferView"]]["target"] == INDICES
    assert indices.max() < len(position)
    assert len(indices) % {1: 2, 4: 3}[primitive["mode"]] == 0
    if "NORMAL" in attributes:
        assert np.abs(np.linalg.norm(glb.array(attributes["NORMAL"]), axis=1) - 1).max() < 1e-5
    if "COLOR_0" in attributes:
        accessor = glb.json["accessors"][attributes["COLOR_0"]]
        assert (accessor["componentType"], accessor["type"], accessor["normalized"]) == (5123, "VEC4", True)
    factor = glb.json["materials"][primitive["material"]]["pbrMetallicRoughness"]
    assert 0 <= min(factor["baseColorFactor"]) <= max(factor["baseColorFactor"]) <= 1
    assert {factor["metallicFactor"], factor["roughnessFactor"]} <= {0.0, 0.75, 0.95}


def _check_nodes(glb):
    """Chapter 3.5: a strict tree below the scene, unit quaternions."""
    nodes = glb.json["nodes"]
    (roots,) = [scene["nodes"] for scene in glb.json["scenes"]]
    children = [child for node in nodes for child in node.get("children", ())]
    assert sorted([*roots, *children]) == list(range(len(nodes)))
    assert sorted(node["mesh"] for node in nodes if "mesh" in node) == list(range(len(glb.json["meshes"])))
    for node in nodes:
        assert np.linalg.norm(node.get("rotation", [0, 0, 0, 1])) == pytest.approx(1.0, abs=1e-5)


def _check_animation(glb, animation):
    """Chapter 3.11: times from zero on that increase, an output for each, no target twice."""
    wide = {"translation": 3, "rotation": 4}
    aims = [(channel["target"]["node"], channel["target"]["path"]) for channel in animation["channels"]]
    assert len(set(aims)) == len(aims) > 0
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times, output = glb.array(sampler["input"])[:, 0], glb.array(sampler["output"])
        assert times[0] >= 0
        assert (np.diff(times) > 0).all()
        path, node = channel["target"]["path"], glb.json["nodes"][channel["target"]["node"]]
        if path == "weights":
            assert len(output) == len(times) * len(glb.json["meshes"][node["mesh"]]["weights"])
        else:
            assert output.shape == (len(times), wide[path])


def _used_accessors(glb):
    used = set()
    for mesh in glb.json["meshes"]:
        for primitive in mesh["primitives"]:
            used |= {primitive["indices"], *primitive["attributes"].values()}
            used |= {one for target in primitive.get("targets", ()) for one in target.values()}
    for animation in glb.json.get("animations", ()):
        used |= {sampler[end] for sampler in animation["samplers"] for end in ("input", "output")}
    return used
