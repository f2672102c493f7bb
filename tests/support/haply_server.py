"""A stand-in for Haply's service that follows its documentation: one snapshot with the configuration, then one state per command.

`mischief` takes what the next answers shall be instead: "drop", "garbage", "oversized", "nan", "missing", "huge", "silence".
"""

import json
import threading
from collections import deque

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve


class HaplyServer:
    def __init__(self, port=0, *, devices=1, grip=True, snapshot=None):
        self.forces, self.profiles, self.connections, self.states = [], [], 0, 0
        self.mischief, self.devices, self.grip, self.snapshot = deque(), devices, grip, snapshot
        self.position = {"x": 0.01, "y": -0.12, "z": 0.15}
        self._server = serve(self._serve, "127.0.0.1", port, compression=None)
        self.port = self._server.socket.getsockname()[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._sockets = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *problem):
        self._server.shutdown()
        for socket in self._sockets:
            socket.close()
        self._thread.join()

    def _message(self, *, config=False):
        state = {
            "cursor_position": self.position,
            "cursor_velocity": {"x": 0.0, "y": 0.1, "z": 0.0},
            "angular_position": {"a0": 0.0, "a1": 0.0, "a2": 0.0},
            "body_orientation": {"w": 1, "x": 0, "y": 0, "z": 0},
            "control_domain": "cartesian",
            "control_mode": "idle",
            "transform": {},
        }
        device = {"device_id": "049D", "state": state, "status": {"ready": True}}
        if config:
            device["config"] = {"type": "inverse3", "handedness": "right", "preset": "defaults", "basis": {"permutation": "XYZ"}}
        message = {"session_id": 7, "inverse3": [device] * self.devices}
        if self.grip:
            grip = {"orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}, "buttons": {"a": True, "b": False, "c": False}}
            message["wireless_verse_grip"] = [{"device_id": "61576", "state": grip}]
        return message

    def _serve(self, socket):
        self._sockets.append(socket)
        self.connections += 1
        socket.send(self.snapshot if self.snapshot is not None else json.dumps(self._message(config=True)))
        first = True
        try:
            for text in socket:
                command = json.loads(text)
                if first:
                    self.profiles.append(command["session"]["configure"]["profile"]["name"])
                assert first or "session" not in command
                first = False
                for entry in command["inverse3"]:
                    assert entry["device_id"] == "049D"
                    values = entry["commands"]["set_cursor_force"]["values"]
                    self.forces.append((values["x"], values["y"], values["z"]))
                if not self._answer(socket):
                    return
        except ConnectionClosed:
            pass

    def _answer(self, socket):
        kind = self.mischief.popleft() if self.mischief else "state"
        message = self._message()
        state = message["inverse3"][0]["state"] if self.devices else {}
        if kind == "drop":
            return False
        if kind == "silence":
            return True
        if kind == "nan":
            state["cursor_position"] = {"x": float("nan"), "y": 0.0, "z": 0.0}
        elif kind == "huge":
            state["cursor_position"] = {"x": 10**400, "y": 0.0, "z": 0.0}
        elif kind == "missing":
            del state["cursor_velocity"]
        texts = {"garbage": "{]", "array": "[1, 2]", "number": "7", "binary": b"\xff\x00", "oversized": json.dumps("x" * 100_000)}
        self.states += 1
        socket.send(texts.get(kind) or json.dumps(message))
        return True
