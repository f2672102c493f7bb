"""Runs a script whose clock counts the processor time of its process: python benchmarks/on_processor_time.py SCRIPT [ARGUMENTS]"""

import runpy
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    time.perf_counter = time.process_time
    runpy.run_path(sys.argv[0], run_name="__main__")
