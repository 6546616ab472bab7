"""What `make` runs: setting up, the processes of the demo, the checks, the tests. Standard library only."""

import sys

# Before anything else is imported: an older Python would stop at the syntax of it, with a less helpful message.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("Python 3.11, 3.12 or 3.13 is needed. If you have one, name it: make run PYTHON=python3.12")
