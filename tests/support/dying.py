"""Problems whose workers die. In a file of their own, as every new worker process has to read it."""

import os
import signal
from pathlib import Path

import numpy as np

from yawara.calibrate.outcome import Outcome


class Deadly:
    """Kills the process that is asked about 0.25, the first time."""

    def __init__(self, mark):
        self.mark = Path(mark)

    def evaluate(self, free):
        if free[0] == 0.25 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Outcome(float(free[0]), np.array(free, float))


class Hopeless:
    """Ends every process that is asked."""

    def evaluate(self, free):
        os._exit(7)
