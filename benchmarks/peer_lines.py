"""The line that each engine prints after the press-hold-release of one block, read into figures."""

import re
from dataclasses import dataclass

NUMBER = r"([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))"


@dataclass(frozen=True)
class Figures:
    name: str
    points: int
    step: float  # [ms]
    mean: float  # [ms per step], as p50 and p99
    p50: float
    p99: float
    speed: float  # simulated over real time
    least_height: float  # [mm], under the plate
    residual: float  # [%] of the height
    volume_end: float  # over the volume before the press; nan where the engine has none
    penetration: float  # [mm]
    finite: bool
    inverted: int = 0  # cells inside out, of engines that count them

    def per_ms(self, cost: float) -> float:
        """Real time per simulated millisecond [ms]: engines with longer steps stand beside the others."""
        return cost / self.step


def is_result(line: str) -> bool:
    return "ms/step" in line and "RTF=" in line


def read_line(line: str) -> Figures:
    """Figures of one printed line; MuJoCo's has no bars between fields, gives dt in seconds and writes volend= for vol ... end=."""

    def number(pattern: str) -> float:
        if found := re.search(pattern + NUMBER, line):
            return float(found[1])
        raise ValueError(f"no figure after {pattern!r} in: {line}")

    points = re.search(r"(?:verts|particles|points)=(\d+)|\| (\d+) ", line)
    if not points:
        raise ValueError(f"no number of points in: {line}")
    step = number(r"\bdt=")
    return Figures(
        name=re.split(r" \| | verts=", line)[0].strip(),
        points=int(points[1] or points[2]),
        step=step if re.search(rf"\bdt={NUMBER}ms", line) else step * 1e3,
        mean=number("mean="),
        p50=number("p50="),
        p99=number("p99="),
        speed=number("RTF="),
        least_height=number("hmin="),
        residual=number("residual="),
        volume_end=number(r"(?:volend=|vol min=\S+ end=)"),
        penetration=number("pen="),
        finite="finite=True" in line,
        inverted=int(number("inverted=")) if "inverted=" in line else 0,
    )
