"""How long a second process takes until its first steps are done: python benchmarks/startup.py"""

import subprocess
import sys
import time

LIMIT = 2.0  # [s]
PROGRAM = """
import yawara as yw
law = yw.ThreeElement(k1=100.0, c1=1.0, c2=100.0)
body = yw.Truss(counts=(4, 4, 4), spacing=0.01, density=1000.0, law=law)
yw.simulate(yw.Scene(time=yw.Time(end=0.01, frame=0.01), body={"block": body}))
"""


def main() -> int:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)  # fills the cache
    durations = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", PROGRAM], check=True)
        durations.append(time.perf_counter() - begin)
    median = sorted(durations)[2]
    print(
        f"a second process has stepped after {median:.2f} s (median of 5; bar {LIMIT} s: {'met' if median < LIMIT else 'MISSED'})"
    )
    return 0 if median < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
