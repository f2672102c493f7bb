"""What a linear law answers to a course of straight pieces: exact, by the lines of its spectrum.

Each line is one mode, so this is the matrix exponential of the law's equations in its own modes. Samples at a corner, where a
damper's force jumps, get the value before it, as in `Law.relaxation`.
"""

import numpy as np
from scipy.special import exprel

from yawara.calibrate.extract.course import Course
from yawara.kernels.kinds import Floats
from yawara.laws.base import refuse_step
from yawara.laws.linear import LinearLaw, Spectrum


def force_under(law: LinearLaw, course: Course, times: Floats) -> Floats:
    """Force at `times` [s] under a prescribed displacement."""
    return impedance_response(law.impedance(), course, times, law=law)[0]


def displacement_under(law: LinearLaw, course: Course, times: Floats) -> Floats:
    """Displacement at `times` [s] under a prescribed force."""
    return compliance_response(law.compliance(), course, times)


def recovery_after(law: LinearLaw, course: Course, release: float, times: Floats) -> Floats:
    """Displacement at `times` [s] after `release` [s], until when it was prescribed; free of force from there."""
    impedance, compliance = law.impedance(), law.compliance()
    mode = impedance_response(impedance, course, np.array([release]), law=law)[1][0]
    # X(s) = x_T/s - P(s) sum_i w_i z_i/(s + r_i): P is zero at each -r_i but 0, so only its own poles -p_j remain
    #     x(t) = x_flow - sum_j P_j exp(-p_j t) sum_i w_i z_i/(r_i - p_j),   x_flow = x_T if nothing holds the rest shape
    gap = impedance.rate[:, None] - compliance.rate[None, :]
    carried = compliance.weight * ((impedance.weight * mode)[:, None] / gap).sum(axis=0)
    stays = 0.0 if (impedance.rate == 0.0).any() else float(course.at(np.array([release]))[0])
    after: Floats = stays - np.exp(-compliance.rate * (times - release)[:, None]) @ carried
    return after


def impedance_response(
    impedance: Spectrum, course: Course, times: Floats, *, law: LinearLaw | None = None
) -> tuple[Floats, Floats]:
    """Force at `times` (ascending), and what each line has kept of the displacement, (time_count, line_count)."""
    mode = np.zeros_like(impedance.rate)
    force, modes = np.zeros(len(times)), np.zeros((len(times), len(mode)))
    for begin, end, first, last, inside in _pieces(course, times):
        jump = last - first if end == begin else 0.0
        if jump and impedance.instant > 0 and law is not None:
            refuse_step(law)
        speed = 0.0 if end == begin else (last - first) / (end - begin)
        # f = Z0 v + sum_i w_i z_i,  dz_i/dt = -r_i z_i + v
        since = (times[inside] - begin)[:, None]
        if len(since):
            modes[inside] = _driven(impedance.rate, mode, speed, 0.0, since)
            force[inside] = impedance.instant * speed + modes[inside] @ impedance.weight
        if np.isfinite(end):
            mode = _driven(impedance.rate, mode, speed, 0.0, end - begin) + jump
    return force, modes


def compliance_response(compliance: Spectrum, course: Course, times: Floats) -> Floats:
    """Displacement at `times` (ascending)."""
    mode = np.zeros_like(compliance.rate)
    displacement = np.zeros(len(times))
    for begin, end, first, last, inside in _pieces(course, times):
        if end == begin:  # a jump takes no time: nothing flows in it
            displacement[inside] = compliance.instant * first + mode @ compliance.weight
            continue
        growth = (last - first) / (end - begin) if np.isfinite(end) else 0.0
        # x = P0 f + sum_j P_j y_j,  dy_j/dt = -p_j y_j + f
        since = times[inside] - begin
        if len(since):
            modes = _driven(compliance.rate, mode, first, growth, since[:, None])
            displacement[inside] = compliance.instant * (first + growth * since) + modes @ compliance.weight
        if np.isfinite(end):
            mode = _driven(compliance.rate, mode, first, growth, end - begin)
    return displacement


def _driven(rate: Floats, mode: Floats, force: float, growth: float, time: Floats | float) -> Floats:
    """y after `time` of dy/dt = -rate y + force + growth t; what is not there costs nothing, as fits ask for this most of all."""
    x = -rate * np.asarray(time)
    answer = np.zeros(x.shape)
    if mode.any():
        answer += mode * np.exp(x)
    if force or growth:
        grown = exprel(x)  # (1 - exp(-rate t))/(rate t)
        answer += force * time * grown
        if growth:
            answer += growth * np.square(time) * _second(x, grown)
    return answer


def _second(x: Floats, grown: Floats) -> Floats:
    """(exprel(x) - 1)/x, which is 1/2 at 0; `grown` is exprel(x)."""
    near = np.abs(x) < 1e-4
    safe = np.where(near, 1.0, x)
    series = 0.5 + x / 6.0 + x * x / 24.0  # the next term is x^3/120: below 1e-14
    return np.where(near, series, (grown - 1.0) / safe)


def _pieces(course: Course, times: Floats) -> list[tuple[float, float, float, float, slice]]:
    """Begin, end, first and last value of each piece, and which of the times are in it; the last piece goes on for ever."""
    knots, values = course.times.tolist(), course.values.tolist()
    found = []
    if values[0]:  # a course that begins with a value begins with a jump to it
        found.append((knots[0], knots[0], 0.0, values[0], slice(0, 0)))
    places = np.searchsorted(times, course.times, side="right").tolist()
    places[0] = int(np.searchsorted(times, knots[0], side="left"))
    for i in range(len(knots) - 1):
        found.append((knots[i], knots[i + 1], values[i], values[i + 1], slice(places[i], places[i + 1])))
    found.append((knots[-1], np.inf, values[-1], values[-1], slice(places[-1], len(times))))
    return found
