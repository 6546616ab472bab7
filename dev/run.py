"""`make run`: the whole portal on one machine."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import CannotContinue, print_line
from dev.paths import (
    LAST_PORT,
    PYTHON,
    ROOT,
    InvalidSetting,
    child_environment,
    portal_port,
    read_dotenv,
    sandbox_port,
)
from dev.process_runner import ChildDied, Runner, Stopped, Watchdog
from dev.servers import check_services
from dev.setup import prepare
from dev.setup.data_folder import hold_data_folder

START_SECONDS = 90.0
# In it, beat ticks three times; the probe says so after as long again.
STANDSTILL_SECONDS = 60.0

BANNER = """
  The portal      {base}
  Sign in as      ava@example.com (or ben, carla, dan, ella, finn, gia, hugo, ivy, jo, kim)
  The code        is in the inbox: {sandbox}/inbox
  Other brands    http://gospel.localhost:{port}/, kids.localhost, sports.localhost (manage.py brands)
  Operators       {base}/admin/ as admin, support, content or finance; the password is the name
  The provider    {sandbox}/ (its clock, accounts and events)
  Move the clock  {given}.venv/bin/python manage.py timetravel 31d
  Stop            Ctrl-C
"""


def _celery_command(*arguments: str) -> list[str]:
    # In a container we are root; Celery's warning about it means nothing for the demo.
    no_warning = ("-W", "ignore:You're running the worker with superuser privileges")
    return [str(PYTHON), *no_warning, "-m", "celery", "--quiet", "-A", "portal", *arguments]


def portal_processes() -> dict[str, list[str]]:
    """Return the commands of the portal's processes, by name."""
    # Gossip and heartbeats are for many workers on many machines.
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return {
        "web": [str(PYTHON), "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"],
        "codes": _celery_command("worker", "-n", "codes@%h", "-Q", "codes", "-c", "2", *alone),
        "worker": _celery_command("worker", "-n", "worker@%h", "-Q", "celery,mail", "-c", "2", *alone),
        "jobs": _celery_command("worker", "-n", "jobs@%h", "-Q", "jobs", "-c", "1", *alone),
        "beat": _celery_command("beat", "--pidfile="),
    }


def is_serving(url: str) -> bool:
    """Whether a server answers there, with any status."""
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def is_background_work_running(url: str) -> bool:
    """Whether the portal's probe says that workers do what is due; True if it cannot tell."""
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(json.load(response).get("workers") != "down")
    except (OSError, ValueError):
        return True


def _check_settings() -> None:
    """Raise `CannotContinue` or `InvalidSetting` for what would fail only after everything is installed."""
    mode = os.environ.setdefault("PORTAL_ENV", "demo")
    if mode != "demo":
        raise CannotContinue(f"`make run` serves the demo, and PORTAL_ENV is {mode!r}. README.md says how to deploy.")
    if portal_port() == sandbox_port():
        raise CannotContinue(f"PORT and SANDBOX_PORT are both {portal_port()}; give each its own.")


def _check_ports() -> None:
    for name, number in (("PORT", portal_port()), ("SANDBOX_PORT", sandbox_port())):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", number))
            except PermissionError as error:
                raise CannotContinue(
                    f"Only root may listen on port {number}: make run {name}={number + 8000}"
                ) from error
            except OSError as error:
                raise CannotContinue(
                    f"Port {number} is taken. Stop what listens there, or choose another: "
                    f"make run {name}={min(number + 100, LAST_PORT)}"
                ) from error


def _run_manage(*arguments: str) -> None:
    """Run a management command beside the other processes."""
    command = [str(PYTHON), "manage.py", *arguments]
    # In a session of its own, so that Ctrl-C reaches us alone and it prints no traceback.
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), check=False, start_new_session=True)
    if result.returncode:
        raise CannotContinue(f"manage.py {' '.join(arguments)} failed (exit {result.returncode}).")


def seed_demo() -> None:
    """Seed the demo once; the commands are safe to run again."""
    stamp = prepare.seeds_stamp()
    if stamp.is_current:
        return
    print_line("  Seeding the demo …")
    _run_manage("seed_site")
    _run_manage("seed_demo", "--past")
    _run_manage("seed_choices")
    stamp.mark_done()


def _given_environment() -> str:
    """Return this run's settings as a prefix for commands that are to find it."""
    shown = [(name, shlex.quote(os.environ.get(name, ""))) for name in ("PORT", "SANDBOX_PORT", "VAR_DIR")]
    # Named only, since they may hold passwords.
    hidden = [(name, "…") for name in ("DATABASE_URL", "REDIS_URL")]
    return "".join(f"{name}={value} " for name, value in [*shown, *hidden] if os.environ.get(name))


def run_portal() -> None:
    """Start all processes and wait until one ends. Raises `ChildDied` or `Stopped`."""
    base, sandbox = f"http://127.0.0.1:{portal_port()}", f"http://127.0.0.1:{sandbox_port()}"
    with Runner(child_environment()) as runner:
        runner.start_group({"sandbox": [str(PYTHON), "-m", "chargebee_sandbox"]})
        runner.wait_for(lambda: is_serving(f"{sandbox}/"), name="the sandbox", seconds=START_SECONDS)
        seed_demo()
        runner.start_group(portal_processes())
        runner.wait_for(lambda: is_serving(f"{base}/healthz"), name="the portal", seconds=START_SECONDS)
        print_line(BANNER.format(base=base, port=portal_port(), sandbox=sandbox, given=_given_environment()))
        is_working = partial(is_background_work_running, f"{base}/readyz")
        runner.watch_children(Watchdog(("codes", "worker", "jobs", "beat"), is_working, patience=STANDSTILL_SECONDS))


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped


def main() -> int:
    """Prepare and run; return the exit code, 0 if we were asked to stop, 1 if something failed."""
    signal.signal(signal.SIGTERM, _raise_stopped)
    read_dotenv()
    try:
        _check_settings()
        _check_ports()
        check_services()
        with hold_data_folder():
            prepare.prepare_to_run()
            prepare.prepare_data()
            run_portal()
    except (KeyboardInterrupt, Stopped):
        print_line("\n  Stopped. Your data is kept; `make reset` starts afresh.")
        return 0
    except (InvalidSetting, CannotContinue, ChildDied) as error:
        print_line(f"\n{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
