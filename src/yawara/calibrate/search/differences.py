"""How residuals change with parameters, by finite differences."""

import numpy as np

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import Ask
from yawara.calibrate.space import Space
from yawara.kernels.kinds import Floats

Question = tuple[int, float]  # parameter, by how much it is changed in the unit cube
Answer = tuple[float, Floats]  # change, residual there


def jacobian(ask: Ask, space: Space, unit: Floats, residual: Floats, difference: float, *, two_sided: bool = False) -> Floats:
    """Change of the residuals [1] per whole range of each parameter, (residual_count, parameter_count), at a point of the unit cube.

    `residual` is that of the point itself, `difference` the change of a parameter over its range. All points are asked as one batch. Where
    a bound is in the way they lie inwards. The error is of the order of `difference`, or of its square if `two_sided`. A column whose point
    failed is tried on the other side; if that fails too, it is not a number.
    """
    questions = [(j, change) for j in range(space.size) for change in _changes(unit[j], difference, two_sided)]
    answers = _answered(ask, space, unit, questions)
    again = [
        (j, -change) for j, change in questions if not answers[j] and _inside(unit[j] - change) and (j, -change) not in questions
    ]
    if again:
        answers = [[*first, *second] for first, second in zip(answers, _answered(ask, space, unit, again), strict=True)]
    return np.column_stack([_slope(residual, column) for column in answers])


def _changes(unit: float, difference: float, two_sided: bool) -> tuple[float, ...]:
    """Of one parameter: there and back, or twice to where there is room."""
    up, down = _inside(unit + difference), _inside(unit - difference)
    inwards = difference if up else -difference
    if not two_sided:
        return (inwards,)
    return (difference, -difference) if up and down else (inwards, 2.0 * inwards)


def _inside(unit: float) -> bool:
    return 0.0 <= unit <= 1.0


def _answered(ask: Ask, space: Space, unit: Floats, questions: list[Question]) -> list[list[Answer]]:
    """Of each parameter, what did not fail."""
    points = np.tile(unit, (len(questions), 1))
    for row, (j, change) in enumerate(questions):
        points[row, j] += change
    outcomes: list[Outcome] = ask(space.to_values(points))
    answers: list[list[Answer]] = [[] for _ in range(space.size)]
    for (j, change), outcome in zip(questions, outcomes, strict=True):
        if not outcome.failed:
            answers[j].append((change, outcome.residual))
    return answers


def _slope(residual: Floats, answers: list[Answer]) -> Floats:
    """Derivative at no change of the line, or of the parabola, through the point itself and the answers."""
    if not answers:
        return np.full(len(residual), np.nan)
    if len(answers) == 1:
        ((change, there),) = answers
        return (there - residual) / change
    (a, at_a), (b, at_b) = answers
    # r'(0) = ((r_a - r_0) b^2 - (r_b - r_0) a^2) / (a b (b - a));      for b = -a it is (r_a - r_b) / (2 a)
    return ((at_a - residual) * b**2 - (at_b - residual) * a**2) / (a * b * (b - a))
