"""The health check of a worker's container: whether the worker renews its heartbeat (`core.workers.standstill`).

A worker that has lost the broker renews none until it has found it again.
"""

import os
import sys
import time
from pathlib import Path

# Three of the polls that renew it.
MOST_SECONDS = 30


def main() -> int:
    """Return the exit code, 0 if the heartbeat is recent."""
    try:
        renewed_at = Path(os.environ.get("WORKER_HEARTBEAT_FILE", "")).stat().st_mtime
    except OSError:
        return 1
    return 0 if time.time() - renewed_at < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
