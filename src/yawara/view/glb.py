"""A coloured surface as GLB, the binary form of glTF 2.0.

The page's mesh that follows vertices has one colour; a GLB has one per vertex. Written here because the material must be
matt: readers take a surface without one for metal, which is black where there is no surrounding to mirror.
"""

import json
import struct

import numpy as np
from numpy.typing import NDArray

from yawara.model import Floats, Indices

FLOAT, BYTE, UINT = 5126, 5121, 5125  # glTF 2.0, 3.6.2.2
VERTICES, TRIANGLES = 34962, 34963  # targets of buffer views
MATT = {"pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.95}, "doubleSided": False}


def normals_of(vertices: Floats, triangles: Indices) -> Floats:
    """Of the vertices, weighted by the triangles' areas."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    face = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], face)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 0, normals / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])


def glb_of(vertices: Floats, triangles: Indices, colours: NDArray[np.uint8]) -> bytes:
    """The file's content; coordinates and axes are taken as they are."""
    linear = np.c_[(colours / 255.0) ** 2.2, np.ones(len(colours))]  # glTF colours are linear
    parts = [
        np.ascontiguousarray(vertices, dtype="<f4").tobytes(),
        np.ascontiguousarray(normals_of(vertices, triangles), dtype="<f4").tobytes(),
        (linear * 255).round().astype(np.uint8).tobytes(),
        np.ascontiguousarray(triangles, dtype="<u4").tobytes(),
    ]
    offsets = np.cumsum([0, *map(len, parts)])
    count = len(vertices)
    accessors = [
        {"componentType": FLOAT, "count": count, "type": "VEC3", "min": [*map(float, vertices.min(axis=0))],
         "max": [*map(float, vertices.max(axis=0))]},
        {"componentType": FLOAT, "count": count, "type": "VEC3"},
        {"componentType": BYTE, "normalized": True, "count": count, "type": "VEC4"},
        {"componentType": UINT, "count": triangles.size, "type": "SCALAR"},
    ]  # fmt: skip
    primitive = {"attributes": {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2}, "indices": 3, "material": 0}
    document = {
        "asset": {"version": "2.0", "generator": "yawara"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [MATT],
        "accessors": [{"bufferView": view, **accessor} for view, accessor in enumerate(accessors)],
        "bufferViews": [
            {
                "buffer": 0,
                "byteOffset": int(offsets[part]),
                "byteLength": len(content),
                "target": VERTICES if part < 3 else TRIANGLES,
            }
            for part, content in enumerate(parts)
        ],
        "buffers": [{"byteLength": int(offsets[-1])}],
    }
    return _chunks(json.dumps(document, separators=(",", ":")).encode(), b"".join(parts))


def _chunks(text: bytes, binary: bytes) -> bytes:
    """glTF 2.0, 4.4: header, JSON chunk filled up with blanks, binary chunk filled up with zeros."""
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(binary))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
