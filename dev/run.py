"""`make run`: the whole portal on one machine."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.console import CannotContinue, say
from dev.places import (
    LAST_PORT,
    PYTHON,
    ROOT,
    BadSetting,
    child_environment,
    port,
    read_dotenv,
    sandbox_port,
    var_dir,
)
from dev.runner import ChildDied, Runner, Stopped
from dev.services import check_services

START_SECONDS = 90.0

BANNER = """
  The portal      {base}
  Sign in as      ava@example.com (or ben, carla, dan, ella, finn, gia, hugo, ivy, jo)
  The code        is in the inbox: {sandbox}/inbox
  Other brands    http://gospel.localhost:{port}/, kids.localhost, sports.localhost (manage.py brands)
  Operators       {base}/admin/ as admin, support, content or finance; the password is the name
  The provider    {sandbox}/ (its clock, accounts and events)
  Move the clock  {given}.venv/bin/python manage.py timetravel 31d
  Stop            Ctrl-C
"""


def _celery(*arguments: str) -> list[str]:
    # In a container one is root, and that Celery warns of it says nothing about this demo.
    quietly = ("-W", "ignore:You're running the worker with superuser privileges")
    return [str(PYTHON), *quietly, "-m", "celery", "--quiet", "-A", "portal", *arguments]


def portal_processes() -> dict[str, list[str]]:
    """The processes of the portal itself."""
    # Gossip and heartbeats are for many workers on many machines.
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return {
        "web": [str(PYTHON), "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"],
        "worker": _celery("worker", "-n", "worker@%h", "-Q", "celery", "-c", "2", *alone),
        "jobs": _celery("worker", "-n", "jobs@%h", "-Q", "jobs", "-c", "1", *alone),
        "beat": _celery("beat", "--pidfile="),
    }


def answers(url: str) -> bool:
    """Whether something serves there, with whatever answer."""
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _check_settings() -> None:
    """Raise `CannotContinue` or `BadSetting` for what would only fail once everything is installed and started."""
    mode = os.environ.setdefault("PORTAL_ENV", "demo")
    if mode != "demo":
        raise CannotContinue(
            f"`make run` serves the demo, and PORTAL_ENV is {mode!r}. README.md says how to deploy."
        )
    if port() == sandbox_port():
        raise CannotContinue(f"PORT and SANDBOX_PORT are both {port()}; give each its own.")
    try:
        var_dir().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotContinue(f"VAR_DIR cannot be made: {error}") from error


def _check_ports() -> None:
    for name, number in (("PORT", port()), ("SANDBOX_PORT", sandbox_port())):
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


def _manage(*arguments: str) -> None:
    """Run a management command while the other processes run; a stop ends it with us."""
    command = [str(PYTHON), "manage.py", *arguments]
    # A session of its own: Ctrl-C is ours to handle, and ends it without a traceback of its own.
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), check=False, start_new_session=True)
    if result.returncode:
        raise CannotContinue(f"manage.py {' '.join(arguments)} failed (exit {result.returncode}).")


def seed() -> None:
    """Fill the demo once; both commands may be run again without doing anything twice."""
    stamp = prepare.seeds_stamp()
    if stamp.holds:
        return
    say("  Seeding the demo …")
    _manage("seed_site")
    _manage("seed_demo")
    stamp.set()


def _given() -> str:
    """What this run was told about itself, as a prefix for commands that are to find it."""
    shown = [(name, shlex.quote(os.environ.get(name, ""))) for name in ("PORT", "SANDBOX_PORT", "VAR_DIR")]
    # Named only: they may hold passwords, and a console is read over shoulders.
    hidden = [(name, "…") for name in ("DATABASE_URL", "REDIS_URL")]
    return "".join(f"{name}={value} " for name, value in [*shown, *hidden] if os.environ.get(name))


def serve() -> None:
    """Start everything and stay until it ends. Raises `ChildDied` or `Stopped`."""
    base, sandbox = f"http://127.0.0.1:{port()}", f"http://127.0.0.1:{sandbox_port()}"
    with Runner(child_environment()) as runner:
        runner.start({"sandbox": [str(PYTHON), "-m", "billing.sandbox"]})
        runner.wait_for(lambda: answers(f"{sandbox}/"), name="the sandbox", seconds=START_SECONDS)
        seed()
        runner.start(portal_processes())
        runner.wait_for(lambda: answers(f"{base}/healthz"), name="the portal", seconds=START_SECONDS)
        say(BANNER.format(base=base, port=port(), sandbox=sandbox, given=_given()))
        runner.watch()


def _stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped


def main() -> int:
    """Return the exit code: 0 when we were asked to stop, 1 when something failed."""
    signal.signal(signal.SIGTERM, _stopped)
    read_dotenv()
    try:
        _check_settings()
        _check_ports()
        check_services()
        prepare.prepare_to_run()
        prepare.ensure_database()
        prepare.ensure_sandbox()
        prepare.ensure_static_files()
        serve()
    except (KeyboardInterrupt, Stopped):
        say("\n  Stopped. Your data is kept; `make reset` starts afresh.")
        return 0
    except (BadSetting, CannotContinue, ChildDied) as error:
        say(f"\n{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
