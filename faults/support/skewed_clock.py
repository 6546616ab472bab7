"""`python -m faults.support.skewed_clock SECONDS MODULE …`: run a module with a clock that is SECONDS ahead."""

import runpy
import sys
from datetime import UTC, datetime, timedelta

import time_machine

if __name__ == "__main__":
    seconds, module = float(sys.argv[1]), sys.argv[2]
    time_machine.travel(datetime.now(UTC) + timedelta(seconds=seconds), tick=True).start()
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
