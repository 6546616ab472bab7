"""Kill a process of the portal while the provider responds to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

from billing.tests.support.faulty_proxy import FaultyProxy
from conftest import ROOT


def run_and_kill(
    environment: dict[str, str], faulty_proxy: FaultyProxy, program: str, is_last: Callable[[bytes], bool]
) -> None:
    """Run a program in a child process, and kill it before it sees the response to the request that `is_last`."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", program],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )

    def kill_on_request(request: bytes) -> None:
        if request and is_last(request):
            os.killpg(process.pid, signal.SIGKILL)

    faulty_proxy.on_answer = kill_on_request
    assert process.wait(timeout=60) == -signal.SIGKILL
    faulty_proxy.restore()
