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
from dev.places import PYTHON, ROOT, child_environment, port, read_dotenv, sandbox_port, var_dir
from dev.runner import ChildDied, Runner, Stopped
from dev.stamps import Stamp

START_SECONDS = 90.0

BANNER = """
  The portal      {base}
  Sign in as      ava@example.com (or ben, carla, dan, ella, finn, gia, hugo, ivy, jo)
  The code        is in the inbox: {sandbox}/inbox
  Operators       {base}/admin/ as admin, password admin
  The provider    {sandbox}/ (its clock, accounts and events)
  Move the clock  {given}.venv/bin/python manage.py timetravel 31d
  Stop            Ctrl-C
"""


def _celery(*arguments: str) -> list[str]:
    return [str(PYTHON), "-m", "celery", "--quiet", "-A", "portal", *arguments]


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


def _check_ports() -> None:
    for name, number in (("PORT", port()), ("SANDBOX_PORT", sandbox_port())):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", number))
            except OSError as error:
                raise CannotContinue(
                    f"Port {number} is taken. Stop what listens there, or choose another: "
                    f"make run {name}={number + 100}"
                ) from error


def _seed_stamp() -> Stamp:
    return Stamp(prepare.stamps() / "seeds", "done")


def _manage(*arguments: str) -> None:
    """Run a management command while the other processes run; a stop ends it with us."""
    command = [str(PYTHON), "manage.py", *arguments]
    # A session of its own: Ctrl-C is ours to handle, and ends it without a traceback of its own.
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), check=False, start_new_session=True)
    if result.returncode:
        raise CannotContinue(f"manage.py {' '.join(arguments)} failed (exit {result.returncode}).")


def seed() -> None:
    """Fill the demo once; both commands may be run again without doing anything twice."""
    stamp = _seed_stamp()
    if stamp.holds:
        return
    say("  Seeding the demo …")
    _manage("seed_site")
    _manage("seed_demo")
    stamp.set()


def _given() -> str:
    """What this run was told about itself, as a prefix for commands that are to find it."""
    # Not DATABASE_URL and REDIS_URL: they may hold passwords, and a console is read over shoulders.
    names = ("PORT", "SANDBOX_PORT", "VAR_DIR")
    return "".join(f"{name}={shlex.quote(os.environ[name])} " for name in names if os.environ.get(name))


def serve() -> None:
    """Start everything and stay until it ends. Raises `ChildDied` or `Stopped`."""
    base, sandbox = f"http://127.0.0.1:{port()}", f"http://127.0.0.1:{sandbox_port()}"
    with Runner(child_environment()) as runner:
        runner.start({"sandbox": [str(PYTHON), "manage.py", "run_sandbox"]})
        runner.wait_for(lambda: answers(f"{sandbox}/"), name="the sandbox", seconds=START_SECONDS)
        seed()
        runner.start(portal_processes())
        runner.wait_for(lambda: answers(f"{base}/healthz"), name="the portal", seconds=START_SECONDS)
        say(BANNER.format(base=base, sandbox=sandbox, given=_given()))
        runner.watch()


def _stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped


def main() -> int:
    """Return the exit code: 0 when we were asked to stop, 1 when something failed."""
    signal.signal(signal.SIGTERM, _stopped)
    read_dotenv()
    os.environ.setdefault("PORTAL_ENV", "demo")
    try:
        _check_ports()
        prepare.prepare_to_run()
        var_dir().mkdir(parents=True, exist_ok=True)
        prepare.ensure_database()
        prepare.ensure_sandbox()
        prepare.ensure_static_files()
        serve()
    except (KeyboardInterrupt, Stopped):
        say("\n  Stopped. Your data is kept; `make reset` starts afresh.")
        return 0
    except (CannotContinue, ChildDied) as error:
        say(f"\n{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
