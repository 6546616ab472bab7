"""Killing a process of ours while the provider answers it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

from billing.tests.cable import Cable
from conftest import ROOT


def killed_at(
    environment: dict[str, str], cable: Cable, program: str, is_last: Callable[[bytes], bool]
) -> None:
    """Run a program of ours in a process of its own, and kill it before it hears the answer to a request."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", program],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )

    def kill(request: bytes) -> None:
        if request and is_last(request):
            os.killpg(process.pid, signal.SIGKILL)

    cable.on_answer = kill
    assert process.wait(timeout=60) == -signal.SIGKILL
    cable.mend()
