"""The process runner stops the processes it started, gracefully and completely, whatever stops it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dev.paths import ROOT

# A leader that finishes its work on SIGTERM, and a helper in its group that dies at once if it gets one too.
LEADER = """
import os, pathlib, signal, subprocess, sys, time
folder = pathlib.Path(sys.argv[1])
helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
def finish(*_):
    (folder / 'helper-was-alive').write_text(str(helper.poll() is None))
    time.sleep(0.3)
    (folder / 'finished').touch()
    sys.exit(0)
signal.signal(signal.SIGTERM, finish)
(folder / 'pids').write_text(f'{os.getpid()} {helper.pid}')
while True: time.sleep(0.05)
"""
RUN = """
import os, sys
from dev.process_runner import ChildDied, Runner, Stopped
try:
    with Runner(os.environ) as runner:
        runner.start_group({'leader': [sys.executable, '-c', sys.argv[1], *sys.argv[2:]]})
        runner.watch_children()
except Stopped:
    sys.exit(0)
except ChildDied as died:
    print(died)
    sys.exit(1)
"""


def start_runner(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def running(tmp_path):
    process = start_runner(LEADER, str(tmp_path))
    pids = tmp_path / "pids"
    wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    yield process, [int(pid) for pid in pids.read_text().split()]
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_leader_finishes_and_no_process_is_left(running, tmp_path, number):
    process, pids = running
    process.send_signal(number)
    assert process.wait(timeout=60) == 0
    assert (tmp_path / "finished").exists()
    assert (tmp_path / "helper-was-alive").read_text() == "True"
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def test_it_stops_with_an_error_when_a_process_exits():
    process = start_runner("raise SystemExit(3)")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "leader ended by itself (exit 3)" in output


def test_it_labels_each_line_with_its_process():
    process = start_runner("print('hello'); raise SystemExit(0)")
    output, _ = process.communicate(timeout=60)
    assert "  leader | hello" in output


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child that its parent is gone")
def test_the_leader_finishes_when_the_runner_is_killed(running, tmp_path):
    process, (leader, helper) = running
    process.kill()
    process.wait()
    wait_until(lambda: not is_alive(leader))
    assert (tmp_path / "finished").exists()
    os.kill(helper, signal.SIGKILL)


# It works once it is started for the second time.
STANDING_STILL = """
import pathlib, sys, time
starts = pathlib.Path(sys.argv[1]) / 'starts'
with starts.open('a') as log: log.write('x')
time.sleep(60)
"""
WATCH = """
import os, pathlib, sys
from dev.process_runner import Runner, Stopped, Watchdog
starts = pathlib.Path(sys.argv[2]) / 'starts'
is_working = lambda: starts.exists() and len(starts.read_text()) > 1
try:
    with Runner(os.environ) as runner:
        runner.start_group({name: [sys.executable, '-c', sys.argv[1], sys.argv[2]] for name in ('worker',)})
        runner.watch_children(Watchdog(('worker',), is_working, patience=float(sys.argv[3]), interval=0.1))
except Stopped:
    pass
"""


# It asks once to be started anew, and works then.
ASKING = """
import pathlib, sys, time
starts = pathlib.Path(sys.argv[1]) / 'starts'
with starts.open('a') as log: log.write('x')
if len(starts.read_text()) == 1: sys.exit(75)
time.sleep(60)
"""


@pytest.mark.shows("reliability-39")
def test_a_worker_that_asks_for_it_is_started_anew(tmp_path):
    runner = subprocess.Popen(
        [sys.executable, "-c", WATCH, ASKING, str(tmp_path), "600"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    starts = tmp_path / "starts"
    wait_until(lambda: starts.exists() and len(starts.read_text()) == 2)
    runner.terminate()
    output, _ = runner.communicate(timeout=60)
    assert output.splitlines() == ["  Starting anew: worker"]


@pytest.mark.shows("reliability-39")
def test_what_stands_still_is_started_anew_and_left_alone_once_it_works(tmp_path):
    runner = subprocess.Popen(
        # Longer than a program takes to start on a busy machine.
        [sys.executable, "-c", WATCH, STANDING_STILL, str(tmp_path), "3"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    starts = tmp_path / "starts"
    wait_until(lambda: starts.exists() and len(starts.read_text()) == 2)
    time.sleep(4)
    runner.terminate()
    output, _ = runner.communicate(timeout=60)
    assert starts.read_text() == "xx"
    assert output.splitlines() == ["  Nothing was done for 3 s. Starting anew: worker"]
