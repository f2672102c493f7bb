"""Cost per link from 10^3 to 60^3 points, and memory per link: python benchmarks/growth.py"""

import json
import subprocess
import sys

from yawara.bench import growth_cases, measure

FLAT = 1.5


def main() -> int:
    rows = list(measure(growth_cases(), seconds=2.0))  # a step of the largest takes as long as a hundred of the smallest
    for row in rows:
        print(f"{row['case']:14} {row['links']:>8} links {row['us_per_step']:>11.1f} us/step {row['ns_per_link']:6.2f} ns/link")
    costs = [row["ns_per_link"] for row in rows]
    spread = max(costs) / min(costs)
    print(f"largest over least cost per link: {spread:.2f} (bar {FLAT}: {'met' if spread <= FLAT else 'MISSED'})")
    # in a process of its own: this one holds memory that it has freed
    program = "import json; from yawara.bench import memory_per_link; print(json.dumps(memory_per_link()))"
    memory = json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    print(
        f"{memory['case']}: {memory['bytes_per_link_arrays']} B per link in arrays, "
        f"{memory['bytes_per_link_process']} B as the process grew"
    )
    return 0 if spread <= FLAT else 1


if __name__ == "__main__":
    sys.exit(main())
