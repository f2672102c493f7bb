"""The container of glTF 2.0: typed arrays in one binary chunk, and the JSON that describes them.

Source: Khronos glTF 2.0 specification, chapters 3.6 (buffers, accessors) and 4 (GLB).
"""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERTICES, INDICES = 34962, 34963  # bufferView.target
_COMPONENT = {np.dtype(np.float32): 5126, np.dtype(np.uint32): 5125, np.dtype(np.uint16): 5123}
_SHAPE = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_LARGEST = 2**32 - 1  # [B], the length field of a GLB has 32 bits


class Buffer:
    """Collects arrays; each becomes a view and an accessor of its own."""

    def __init__(self) -> None:
        self.accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._length = 0  # [B]

    def add(self, array: NDArray[Any], *, target: int | None = None, normalized: bool = False) -> int:
        """Append an array (count,) or (count, components) and return the index of its accessor."""
        rows = array.reshape(len(array), -1)
        accessor: dict[str, Any] = {
            "bufferView": len(self._views),
            "componentType": _COMPONENT[array.dtype],
            "count": len(rows),
            "type": _SHAPE[rows.shape[1]],
            "min": rows.min(axis=0).tolist(),
            "max": rows.max(axis=0).tolist(),
        }
        self.accessors.append(accessor | ({"normalized": True} if normalized else {}))
        data = rows.astype(array.dtype.newbyteorder("<")).tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self._length, "byteLength": len(data)}
        self._views.append(view | ({"target": target} if target else {}))
        self._parts.append(_padded(data, b"\0"))
        self._length += len(self._parts[-1])
        return len(self.accessors) - 1

    def container(self, document: dict[str, Any]) -> bytes:
        """The whole GLB file: header, JSON chunk, binary chunk."""
        described = document | {
            "accessors": self.accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": self._length}],
        }
        text = _padded(json.dumps(described, separators=(",", ":"), ensure_ascii=False).encode("utf-8"), b" ")
        length = 12 + 8 + len(text) + 8 + self._length
        if length > _LARGEST:
            raise ValueError(
                f"a GLB file must be < 4 GiB (got {length / 2**30:.1f} GiB); lower max_frames or export fewer points"
            )
        head = struct.pack("<4sII", b"glTF", 2, length)
        chunk = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", self._length, b"BIN\0")
        return b"".join([head, chunk, *self._parts])


def _padded(data: bytes, filler: bytes) -> bytes:
    return data + filler * (-len(data) % 4)
