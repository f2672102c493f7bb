"""Our step beside a C++ reference in one run: python benchmarks/against_yardstick.py PATH/TO/run.sh [rounds]

The reference prints one JSON object per line with the keys of `yawara bench --json`. Both take turns, a fresh process of ours each
round; the least of all rounds counts, since only ratios within one run mean anything on a shared machine.
"""

import json
import subprocess
import sys
from pathlib import Path

# (case, integrator, threads) -> largest allowed ratio to the reference's variant "scatter", or largest time [us]
RATIOS = {("6x4x6-26n", "euler", 1): 0.8, ("6x4x6-26n", "rk4", 1): 0.9}
TIMES = {("15x15x16-truss", "euler", 1): 120.0, ("15x15x16-truss", "euler", 2): 70.0}


def rows_of(command):
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def main(reference: str, rounds: int = 3) -> int:
    ours_command = [str(Path(sys.executable).with_name("yawara")), "bench", "--quick", "--json"]
    least: dict[tuple, float] = {}
    for _ in range(rounds):
        for row in rows_of([reference, "--quick"]) + rows_of(ours_command):
            key = (row["case"], row["integrator"], row["threads"], row["variant"])
            least[key] = min(least.get(key, float("inf")), row["us_per_step"])
    missed = 0
    for (case, integrator, threads, variant), ours in least.items():
        if variant != "yawara":
            continue
        plain = least[case, integrator, threads, "scatter"]
        bar, verdict = "", ""
        if limit := RATIOS.get((case, integrator, threads)):
            bar, verdict = f"ratio <= {limit}", ours / plain <= limit
        if limit := TIMES.get((case, integrator, threads)):
            bar, verdict = f"<= {limit:g} us", ours <= limit
        missed += verdict is False
        word = {True: "met", False: "MISSED", "": ""}[verdict]
        print(
            f"{case:16} {integrator:6} {threads} thread(s): {ours:9.2f} us, C++ {plain:9.2f} us, ratio {ours / plain:.3f}  {bar} {word}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(int(argument) for argument in sys.argv[2:])))
