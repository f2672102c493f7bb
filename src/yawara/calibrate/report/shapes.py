"""Captured points over the simulated surface, and where on it they do not fit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.report.panel import evenly
from yawara.calibrate.report.seen import viewpoint, visible
from yawara.calibrate.report.words import MM, counted, known, with_unit
from yawara.report.camera import Camera, bounds_of
from yawara.report.coarsen import coarsened
from yawara.report.key import Bar
from yawara.report.numbers import rounded_up
from yawara.report.page import figure, paragraph, picture_row
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.report.svg import Markup, element, join, points

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# ColorBrewer 2.0, RdBu with 11 classes, turned over: blue lies inside, red outside; told apart with every common colour vision
DIVERGING = (
    "#053061", "#2166AC", "#4393C3", "#92C5DE", "#D1E5F0", "#F7F7F7", "#FDDBC7", "#F4A582", "#D6604D", "#B2182B", "#67001F",
)  # fmt: skip
POINTS, POINTS_ON_PAGE, FEWEST = 1500, 12_000, 300  # drawn in one picture, in all of them, and in one of very many
PICTURES = 6  # clouds of an experiment that are drawn
TRIANGLES, COARSEST = 1600, 400  # of a surface
POINTS_PER_TRIANGLE = 4  # of an error map: fewer leave holes by chance
SURFACE = "#AEB6BF"
WIDTH, HEIGHT = 440.0, 350.0  # [px], of a picture
WIDEST = 98.0  # [%] of all distances that the scale of colours reaches to


@dataclass(frozen=True)
class Captured:
    """A cloud beside the surface at its time."""

    cloud: Cloud
    comparison: Comparison

    @property
    def distance(self) -> Floats:
        """[m], (point_count,), positive outside."""
        return np.asarray(self.comparison.details["distance"])

    @property
    def position(self) -> Floats:
        """[m], of the body's points."""
        return np.asarray(self.comparison.details["position"][self.comparison.details["body"].points])

    @property
    def triangles(self) -> Integers:
        """Of the body's surface, counted from its first point."""
        body = self.comparison.details["body"]
        return np.asarray(body.triangles.astype(np.int64) - body.point_begin)


def points_per_picture(pictures: int) -> int:
    """So many that a page with all of them opens quickly."""
    return int(np.clip(POINTS_ON_PAGE // max(pictures, 1), FEWEST, POINTS))


def shape_pictures(found: Sequence[Captured], at_most: int) -> Markup:
    """For each body of the clouds: points over surfaces at all times, then the maps of errors."""
    bodies = dict.fromkeys(one.cloud.body for one in found)
    return join(*(_of_one_body([one for one in found if one.cloud.body == body], at_most) for body in bodies))


def _of_one_body(found: Sequence[Captured], at_most: int) -> Markup:
    found = sorted(found, key=lambda one: one.cloud.time)
    shown = [found[n] for n in evenly(len(found), PICTURES).tolist()]
    stage = _Stage(shown, at_most)
    columns = 3 if len(shown) in (3, 5, 6) else 2
    overlays = [figure(stage.overlay(one), _caption(one)) for one in shown]
    maps = [
        figure(stage.error_map(one), f"{with_unit(known(one.cloud.time), 's')}: mean distance on the surface") for one in shown
    ]
    return join(
        paragraph(stage.words(len(found))), picture_row(overlays, columns=columns), paragraph(stage.map_words()),
        picture_row(maps, columns=columns),
    )  # fmt: skip


def _caption(one: Captured) -> str:
    metrics, count = one.comparison.metrics, one.cloud.count
    mean, spread, limit = (
        with_unit(known(MM * value, 3), "mm") for value in (metrics["S [m]"] / count, metrics["rms [m]"], one.cloud.beyond)
    )
    far = f"{int(metrics['beyond'])} of {count} points beyond {limit}"
    return f"{with_unit(known(one.cloud.time), 's')}: S/N = {mean}, rms {spread}, {far}"


@dataclass(frozen=True)
class _Stage:
    """What the pictures of one body have in common: viewpoint, bounds, scales of colours."""

    shown: Sequence[Captured]
    at_most: int

    @cached_property
    def view(self) -> tuple[float, float]:
        first = self.shown[0]
        return viewpoint(first.cloud.points, first.position, first.triangles)

    @cached_property
    def bounds(self) -> Floats:
        return bounds_of(*(one.position[np.unique(one.triangles)] for one in self.shown))

    @cached_property
    def scale(self) -> float:
        """[mm], at which the colours of points end."""
        sizes = np.concatenate([np.abs(one.distance) for one in self.shown])
        return rounded_up(MM * float(np.percentile(sizes, WIDEST)))

    @cached_property
    def map_scale(self) -> float:
        """[mm], at which the colours of maps end."""
        means = np.concatenate([self._means(one) for one in self.shown])
        return rounded_up(MM * float(np.nanpercentile(means, WIDEST)))

    def _surface(self, one: Captured, count: int) -> Integers:
        """The same triangles at all times: chosen by the first position."""
        return coarsened(self.shown[0].position, one.triangles, count)

    def _map_surface(self, one: Captured) -> Integers:
        return self._surface(one, int(np.clip(one.cloud.count // POINTS_PER_TRIANGLE, COARSEST, TRIANGLES)))

    def _means(self, one: Captured) -> Floats:
        """[m], (point_count,): mean size of the distances of the points next to each vertex, NaN where there are none."""
        used = np.unique(self._map_surface(one))
        nearest = used[cKDTree(one.position[used]).query(one.cloud.points)[1]]
        count = np.bincount(nearest, minlength=len(one.position))
        total = np.bincount(nearest, np.abs(one.distance), len(one.position))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def overlay(self, one: Captured) -> Markup:
        triangles = self._surface(one, TRIANGLES)
        shape = Shape(one.position, triangles, SURFACE, one.cloud.body, rest=self.shown[0].position)
        bar = Bar("distance [mm]", -self.scale, self.scale, DIVERGING)
        return self._picture(shape, bar, lambda camera: self._dots(one, triangles, camera))

    def error_map(self, one: Captured) -> Markup:
        values = np.minimum(MM * self._means(one) / self.map_scale, 1.0)
        rest = self.shown[0].position
        shape = Shape(one.position, self._map_surface(one), SURFACE, one.cloud.body, values=values, rest=rest)
        return self._picture(shape, Bar("mean distance [mm]", 0.0, self.map_scale), None)

    def _picture(self, shape: Shape, bar: Bar, over: Callable[[Camera], Markup] | None) -> Markup:
        return picture([shape], width=WIDTH, height=HEIGHT, view=self.view, bounds=self.bounds, bar=bar, over=over)

    def _dots(self, one: Captured, triangles: Integers, camera: Camera) -> Markup:
        """Points that can be seen, by classes of colour, the farthest off last, with a thin rim."""
        picked = evenly(one.cloud.count, self.at_most)
        where, distance = one.cloud.points[picked], one.distance[picked]
        seen = visible(where, distance, one.position, triangles, camera)
        pixels = camera.place(where[seen])
        share = np.clip(MM * distance[seen] / self.scale, -1.0, 1.0)
        group = np.minimum(((share + 1.0) / 2.0 * len(DIVERGING)).astype(int), len(DIVERGING) - 1)
        middle = len(DIVERGING) // 2
        layers = sorted(range(len(DIVERGING)), key=lambda n: abs(n - middle))
        drawn = []
        for n in layers:
            path = "".join(f"M{points([row])}h0" for row in pixels[group == n].tolist())
            if path:
                rim = element("path", d=path, stroke="#30363d", stroke_width=4.4)
                drawn.append(join(rim, element("path", d=path, stroke=DIVERGING[n], stroke_width=3.4)))
        return element("g", element("title", "captured points"), *drawn, stroke_linecap="round", fill="none", class_="captured")

    def words(self, total: int) -> str:
        body, most = self.shown[0].cloud.body, max(one.cloud.count for one in self.shown)
        found = [
            f"Captured points over the simulated surface of {body} with the fitted values. Red points lie outside of it, blue ones "
            f"inside, by their distance; at {known(self.scale)} mm and beyond, the colours stay the same.",
        ]
        if most > self.at_most:
            found.append(f"Of each cloud, {self.at_most} points are drawn, picked evenly; the numbers are those of all points.")
        found.append("Points behind the body are hidden.")
        if total > len(self.shown):
            found.append(f"{counted(len(self.shown), 'cloud')} of {total} are drawn.")
        return " ".join(found)

    def map_words(self) -> str:
        return (
            "Where the shapes differ: each vertex has the colour of the mean size of the distances of the captured points nearest to "
            "it. Grey: no captured point is nearest to a corner of the face, so that nothing is known there."
        )
