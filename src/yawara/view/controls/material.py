"""The material of the first body: presets and settings."""

import math
from typing import Any

from yawara.live.messages import Change, Setting
from yawara.view.desk import Desk

STEPS = 200  # of a slider


class MaterialControls:
    """A choice of presets, and one slider per setting; its label tells the value with its unit."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._folder = desk.server.gui.add_folder("Material")
        self._shown: list[Any] = []
        self.rebuild()

    def rebuild(self) -> None:
        """The settings are new."""
        for handle in self._shown:
            handle.remove()
        self._shown = []
        session = self._desk.session
        self._folder.visible = bool(session.presets or session.settings)
        with self._folder:
            if session.presets:
                self._add_presets(session.presets)
            for name, setting in session.settings.items():
                self._shown.append(self._slider(name, setting))

    def _add_presets(self, presets: tuple[str, ...]) -> None:
        session = self._desk.session
        dropdown = self._desk.server.gui.add_dropdown("Preset", presets, initial_value=session.preset)

        def choose(_: int, name: str) -> None:
            if name in session.presets:
                self._desk.later(session.choose_preset, name)

        self._desk.on_change(dropdown, choose)
        self._shown.append(dropdown)

    def _slider(self, name: str, setting: Setting) -> Any:
        place = round(STEPS * place_of(setting, setting.value))
        ends = ((0, short(setting.low)), (STEPS, short(setting.high)))
        slider = self._desk.server.gui.add_slider(
            label_of(setting, setting.value), 0, STEPS, 1, place, marks=ends, hint=setting.help or None
        )

        def change(_: int, place: int) -> None:
            value = value_at(setting, place / STEPS)
            slider.label = label_of(setting, value)
            for body in self._desk.session.shapes.bodies[:1]:
                self._desk.session.send(Change(body.name, {name: value}))

        self._desk.on_change(slider, change)
        return slider


def value_at(setting: Setting, place: float) -> float:
    """From a place between 0 and 1 on the slider; places beyond its ends are taken for the ends."""
    place = min(max(place, 0.0), 1.0)
    if setting.logarithmic:
        return float(setting.low * (setting.high / setting.low) ** place)
    return setting.low + (setting.high - setting.low) * place


def place_of(setting: Setting, value: float) -> float:
    """The way back."""
    value = min(max(value, setting.low), setting.high)
    if setting.logarithmic:
        return math.log(value / setting.low) / math.log(setting.high / setting.low)
    return (value - setting.low) / (setting.high - setting.low)


def label_of(setting: Setting, value: float) -> str:
    """Name, value and unit; prefixes keep numbers short."""
    return f"{setting.label} {short(value)}{_gap(value)}{setting.unit}"


def short(value: float) -> str:
    """Three figures, with a prefix for thousands and more: 12.5 k."""
    for size, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.3g}{prefix}"
    return f"{value:.3g}"


def _gap(value: float) -> str:
    return "" if abs(value) >= 999.5 else " "
