"""The lines of other engines are read into the figures of benchmarks/against_peers.py."""

import math

import pytest

from against_peers import bars_of, middle
from peer_lines import Figures, is_result, read_line

COMMON = (
    "rapier3d 0.36.1 cons plastic=1 | verts=216 tets=625 | dt=1ms | ms/step mean=2.606 p10=1.780 p50=2.383 p99=4.358 | RTF=0.38 "
    "| h0=101.2 hmin=71.2 hend=76.3mm residual=24.57% | vol min=0.891 end=1.001 | pen=1.11mm | finite=True rad=0.001"
)
MUJOCO = (
    "mujoco 4.0.0 flex CG yield=0.05 verts=216 tets=750 dt=0.001 ms/step mean=1.547 p10=1.094 p50=1.520 p99=2.761 RTF=0.65 "
    "h0=99.07mm hmin=65.05 hend=65.78 residual=33.60% volmin=0.8765 volend=0.9454 pen=1.32mm finite=True warn=0"
)


def test_common_line():
    figures = read_line(COMMON)
    assert is_result(COMMON)
    assert not is_result("methods ok, constraints 625")
    assert figures == Figures(
        name="rapier3d 0.36.1 cons plastic=1",
        points=216,
        step=1.0,
        mean=2.606,
        p50=2.383,
        p99=4.358,
        speed=0.38,
        least_height=71.2,
        residual=24.57,
        volume_end=1.001,
        penetration=1.11,
        finite=True,
    )


def test_line_without_bars_and_with_seconds():
    figures = read_line(MUJOCO)
    assert figures.name == "mujoco 4.0.0 flex CG yield=0.05"
    assert (figures.points, figures.step, figures.p99, figures.volume_end) == (216, 1.0, 2.761, 0.9454)


def test_plain_number_of_points_and_longer_steps():
    figures = read_line(COMMON.replace("verts=216 tets=625", "216").replace("dt=1ms", "dt=5ms"))
    assert figures.points == 216
    assert figures.per_ms(figures.p50) == pytest.approx(2.383 / 5)


def test_bad_runs():
    figures = read_line(
        COMMON.replace("end=1.001", "end=nan").replace("finite=True", "finite=False").replace("pen=1.11", "pen=-0.00")
    )
    assert math.isnan(figures.volume_end)
    assert not figures.finite
    assert figures.penetration == 0.0
    with pytest.raises(ValueError, match="p99="):
        read_line(COMMON.replace("p99=", "p98="))


def test_bars():
    good = (
        COMMON.replace("p99=4.358", "p99=0.999").replace("RTF=0.38", "RTF=16.25").replace("pen=1.11", "pen=0.49") + " inverted=0"
    )
    peers = {"rapier": read_line(COMMON), "mujoco": read_line(MUJOCO)}

    def met(line: str, others=peers) -> list[bool]:
        return [verdict for _, verdict in bars_of(read_line(line), others)]

    assert met(good) == [True] * 6
    assert met(good.replace("RTF=16.25", "RTF=16.24")) == [False, False, True, True, True, True]  # 0.65 of the faster peer counts
    assert met(good.replace("dt=1ms", "dt=0.5ms")) == [True, True, False, True, True, True]
    assert met(good.replace("pen=0.49", "pen=0.50")) == [True, True, True, False, True, True]
    assert met(good.replace("end=1.001", "end=0.990")) == [True] * 6
    assert met(good.replace("end=1.001", "end=0.989")) == [True, True, True, True, False, True]
    assert met(good.replace("end=1.001", "end=nan")) == [True, True, True, True, False, True]
    assert met(good.replace("inverted=0", "inverted=1")) == [True, True, True, True, True, False]
    assert met(good, {})[:2] == [False, False]


def test_peers_without_finite_elements_count_for_one_bar_only():
    ours = read_line(COMMON.replace("RTF=0.38", "RTF=16.25"))
    quicker = {"pypbd": read_line(COMMON.replace("RTF=0.38", "RTF=1.06")), "mujoco": read_line(MUJOCO)}
    assert [verdict for _, verdict in bars_of(ours, quicker)[:2]] == [True, False]
    assert [verdict for _, verdict in bars_of(ours, {"rapier": read_line(COMMON)})[:2]] == [False, True]


def test_middle_turn():
    turns = [read_line(COMMON.replace("RTF=0.38", f"RTF={speed}")) for speed in (3.0, 1.0, 2.0, 4.0)]
    assert middle(turns).speed == 2.0  # the slower one of the two in the middle
    assert middle(turns[:3]).speed == 2.0
    assert middle([]) is None
