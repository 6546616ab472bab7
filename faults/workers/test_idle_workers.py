"""Idle processes of the workers are killed, as the kernel does when memory runs out: the work goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from billing.models import Heartbeat
from conftest import ROOT
from core.workers.standstill import RESTART_EXIT_CODE
from faults.support.running_portal import PortalProcess, RunningPortal, wait_until
from portal.monitoring.worker_probe import MOST_SECONDS

ROUNDS = 3


def wait_for_heartbeat(portal: RunningPortal) -> None:
    """Wait until a worker takes a tick; as a process manager does, start those anew that ended."""
    Heartbeat.objects.all().delete()

    def has_beaten() -> bool:
        portal.restart_ended_processes()
        return Heartbeat.objects.exists()

    wait_until(has_beaten, what="a tick that a worker took")


@pytest.mark.shows("reliability-39")
def test_the_work_goes_on_after_idle_processes_of_all_pools_were_killed(portal: RunningPortal) -> None:
    for _ in range(ROUNDS):
        for name in ("codes", "worker", "jobs"):
            os.kill(portal.processes[name].child_pids()[0], signal.SIGKILL)
        # A worker that has lost its only process, or all at once, ends itself: visible, and started anew.
        wait_for_heartbeat(portal)
        portal.wait_for_all()


@pytest.mark.shows("reliability-39")
def test_a_worker_whose_processes_take_nothing_ends_itself(portal: RunningPortal) -> None:
    codes = portal.processes["codes"]
    # As after the death of a process that held the pool's lock: they live, and take nothing.
    for pid in codes.child_pids():
        os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: not codes.is_alive, what="the end of the worker")
    assert codes.running is not None
    assert codes.running.returncode == RESTART_EXIT_CODE
    os.killpg(codes.pid, signal.SIGKILL)
    portal.restart_ended_processes()
    portal.wait_for_all()


@pytest.mark.shows("reliability-39")
def test_the_health_check_of_a_container_fails_while_its_worker_hangs(portal: RunningPortal) -> None:
    heartbeat = portal.folder / "heartbeat"
    environment = {**portal.environment, "WORKER_HEARTBEAT_FILE": str(heartbeat)}
    worker = PortalProcess(portal.processes["codes"].command, environment, portal.folder / "checked.log")

    def is_healthy() -> bool:
        command = [sys.executable, "-m", "portal.monitoring.worker_probe"]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0

    assert not is_healthy()
    worker.start_process()
    try:
        wait_until(is_healthy, what="a healthy worker")
        os.kill(worker.pid, signal.SIGSTOP)
        half_a_minute_ago = time.time() - MOST_SECONDS
        os.utime(heartbeat, (half_a_minute_ago, half_a_minute_ago))
        assert not is_healthy()
        os.kill(worker.pid, signal.SIGCONT)
        wait_until(is_healthy, what="a worker that is healthy again")
    finally:
        worker.kill_process()


@pytest.mark.shows("reliability-39")
def test_a_worker_of_the_file_broker_has_no_process_that_could_be_killed_alone(portal: RunningPortal) -> None:
    folder = portal.folder / "embedded"
    folder.mkdir(exist_ok=True)
    environment = {**portal.environment, "REDIS_URL": "", "VAR_DIR": str(folder)}
    for name in ("worker", "beat"):
        portal.processes[name].kill_process()
    worker, beat = (
        PortalProcess(portal.processes[name].command, environment, folder / f"{name}.log")
        for name in ("worker", "beat")
    )
    try:
        for process in (worker, beat):
            process.start_process()
        Heartbeat.objects.all().delete()
        wait_until(Heartbeat.objects.exists, what="a tick through the file broker")
        # Loading a font library runs a short-lived child; a pool's process would stay.
        wait_until(lambda: worker.child_pids() == [], what="a worker without child processes")
        threads = subprocess.run(["ps", "-o", "nlwp=", str(worker.pid)], capture_output=True, check=True)
        assert int(threads.stdout) > 1
    finally:
        for process in (worker, beat):
            process.kill_process()
        portal.restart_ended_processes()
