"""What `make` runs: set-up, the demo's processes, checks and tests. Set-up uses the standard library only."""

import sys

# Checked before any other import, which an older Python would refuse with a less helpful syntax error.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("Python 3.11, 3.12 or 3.13 is needed. If you have one, name it: make run PYTHON=python3.12")
