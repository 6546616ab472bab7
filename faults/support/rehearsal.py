"""Production on one machine, as docs/deployment.md says, and a walk through it; `make rehearse` runs it."""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from billing.tests.support.live_provider import FAITH, KIDS, VISA_CARD, Provider
from conftest import ROOT, Sandbox, free_port, run_sandbox_process
from dev.check_list import production_environment
from dev.console import print_line
from faults.support.database_servers import PostgreSQL, Redis
from faults.support.mail_server import MailServer
from faults.support.proxy import HOST, Proxy, make_certificate, run_nginx, run_proxy
from faults.support.running_portal import PortalProcess, wait_until

SITE = "rehearsal"
PROVIDER = f"{SITE}.chargebee.com"
ADDRESS = "rita@example.com"
# Addresses of this machine: an operator's, and everybody else's.
OPERATOR, STRANGER = "127.0.0.32", "127.0.0.7"
ROLE = "rehearsal"
UNIT_BINARIES = "/opt/portal/current/.venv/bin/"
TLS_FRONT = """
events {{}}
http {{
    access_log off;
    error_log {folder}/error.log;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/fullchain.pem;
        ssl_certificate_key {folder}/privkey.pem;
        location / {{ proxy_pass http://127.0.0.1:{target}; }}
    }}
}}
"""


class RehearsalFailed(Exception):
    """Something was not as production must be."""


def report_step(what: str, *, holds: bool) -> None:
    """Print what was seen. Raises `RehearsalFailed` if it does not hold."""
    print_line(f"  {'ok    ' if holds else 'FAILED'}  {what}")
    if not holds:
        raise RehearsalFailed(what)


def create_database(server: PostgreSQL) -> tuple[str, str]:
    """Create the roles and the database by `deploy/database.sql`; return the URLs of the processes and of `migrate`."""
    # The test server's superuser already has the role's name.
    script = re.sub(r"\bportal\b", ROLE, (ROOT / "deploy" / "database.sql").read_text())
    password, owner_password = secrets.token_hex(16), secrets.token_hex(16)
    passwords = ["-v", f"password={password}", "-v", f"owner_password={owner_password}"]
    subprocess.run(["psql", "-q", *passwords, server.url], input=script, text=True, check=True)
    address = f"127.0.0.1:{server.port}/{ROLE}"
    return f"postgres://{ROLE}:{password}@{address}", f"postgres://portal_owner:{owner_password}@{address}"


@contextmanager
def run_provider(folder: Path, keys: Mapping[str, str]) -> Iterator[tuple[Sandbox, int]]:
    """Run the sandbox behind TLS under one of Chargebee's names; yield it and the TLS port."""
    make_certificate(folder, PROVIDER)
    names = {"SANDBOX_SITE": SITE, "SANDBOX_API_KEY": keys["CHARGEBEE_API_KEY"]}
    with run_sandbox_process(folder, **names) as running:
        sandbox = dataclasses.replace(running, site=SITE, api_key=keys["CHARGEBEE_API_KEY"])
        port = free_port()
        configuration = folder / "nginx.conf"
        configuration.write_text(TLS_FRONT.format(folder=folder, port=port, target=sandbox.port))
        with run_nginx(configuration):
            yield sandbox, port


def open_shop(sandbox: Sandbox) -> None:
    """Create plans and one subscriber, whom the portal does not know yet."""
    sdk = sandbox.client()
    provider = Provider(sandbox=sandbox, sdk=sdk)
    provider.create_catalog()
    sdk.Customer.create({"id": "rita", "email": ADDRESS, "first_name": "Rita", "last_name": "Tester"})
    provider.add_card("rita", VISA_CARD)
    for plan in (FAITH, KIDS):
        provider.subscribe("rita", plan)


def unit_command(unit: str, folder: Path) -> list[str]:
    """Return the command of a unit of `deploy/systemd/`, run by this environment's Python."""
    text = (ROOT / "deploy" / "systemd" / f"portal-{unit}.service").read_text()
    (line,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    assert line.startswith(UNIT_BINARIES)
    command = line.removeprefix(UNIT_BINARIES).replace("%%", "%").replace("/tmp/", f"{folder}/")  # noqa: S108
    return [sys.executable, "-m", *shlex.split(command)]


def manage(environment: Mapping[str, str], *arguments: str) -> None:
    """Run a management command. Raises `RehearsalFailed` with its output."""
    command = [sys.executable, "manage.py", *arguments]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        print_line(result.stdout + result.stderr)
    report_step(f"manage.py {' '.join(arguments)}", holds=result.returncode == 0)


def walk_as_stranger(proxy: Proxy) -> None:
    """See what nobody may see from outside."""
    for path in ("/healthz", "/readyz", "/metrics"):
        report_step(f"{path} is not public", holds=proxy.request("GET", path).status_code == 404)
    for address, status in ((STRANGER, 404), (OPERATOR, 200)):
        answer = proxy.request("GET", "/admin/login/", address=address)
        report_step(f"the operators' sign-in page answers {status} to {address}", holds=answer.status_code == status)


def walk_as_subscriber(proxy: Proxy, mail_server: MailServer) -> str:
    """Sign in by mail, read the account, pause, and download an invoice; return the token."""

    def ask(method: str, path: str, token: str = "", **more: object) -> httpx.Response:
        headers = {"Host": HOST, "Idempotency-Key": secrets.token_hex(16), "Authorization": f"Bearer {token}"}
        if not token:
            del headers["Authorization"]
        return proxy.request(method, path, address=STRANGER, headers=headers, **more)

    page = ask("GET", "/")
    report_step("the app's page comes with HSTS", holds=page.is_success and "Strict-Transport-Security" in page.headers)
    challenge = ask("POST", "/api/auth/send-otp", json={"email": ADDRESS}).json()["challengeId"]
    (mail,) = mail_server.wait_for_mails(ADDRESS)
    body = mail.get_body(("plain",))
    assert body is not None
    (code,) = re.findall(r"^\s*(\d{6})\s*$", body.get_content(), re.MULTILINE)
    answer = ask("POST", "/api/auth/verify-otp", json={"email": ADDRESS, "otp": code, "challengeId": challenge})
    report_step("a mailed code signs in", holds=answer.status_code == 200)
    token: str = answer.json()["token"]

    account = ask("GET", "/api/account", token)
    report_step("the account is read", holds=account.status_code == 200 and account.json()["email"] == ADDRESS)
    paused = ask("POST", "/api/account/pause?days=30", token)
    report_step("a pause is scheduled", holds=paused.status_code == 200)
    mail_server.wait_for_mails(ADDRESS, 2)
    report_step("its receipt is mailed", holds=True)

    number = ask("GET", "/api/invoice/list", token).json()[0]["number"]
    link = wait_until(
        lambda: ask("GET", f"/api/invoice/pdf/{number}", token).json().get("downloadUrl"), what="the invoice"
    )
    report_step("an invoice is rendered and downloaded", holds=ask("GET", link).content.startswith(b"%PDF"))
    return token


def see_logs(folder: Path, hidden: Mapping[str, str]) -> None:
    """See that no log holds what none may hold."""
    text = "\n".join(log.read_text(errors="replace") for log in folder.rglob("*.log"))
    found = [name for name, secret in hidden.items() if secret in text]
    report_step(f"no log holds {', '.join(hidden)}", holds=not found)


def rehearse() -> None:
    """Start everything, walk through it, and stop everything; exits with 1 if something is not as it must be."""
    try:
        with tempfile.TemporaryDirectory(prefix="portal-rehearsal-") as folder, ExitStack() as stack:
            Path(folder).chmod(0o755)
            _rehearse(Path(folder), stack)
    except (RehearsalFailed, TimeoutError) as error:
        sys.exit(f"\nThe rehearsal failed: {error}")
    print_line("\nThe rehearsal is over: everything was as it must be.")


def _rehearse(folder: Path, stack: ExitStack) -> None:
    for name in ("portal", "proxy", "provider", "servers"):
        (folder / name).mkdir()
        (folder / name).chmod(0o755)
    database, redis = PostgreSQL(free_port(), folder / "servers"), Redis(free_port(), folder / "servers")
    for server in (database, redis):
        server.start_server()
        stack.callback(server.crash_server)
    mail_server = MailServer()
    stack.callback(mail_server.shutdown)
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=2048))

    settings = production_environment(folder / "portal")
    sandbox, provider_port = stack.enter_context(run_provider(folder / "provider", settings))
    open_shop(sandbox)
    database_url, owner_url = create_database(database)
    settings |= {
        "ALLOWED_HOSTS": HOST,
        "BASE_URL": f"https://{HOST}",
        "ADMIN_NETWORKS": f"{OPERATOR}/32",
        "DATABASE_URL": database_url,
        "REDIS_URL": redis.url_at_port(redis.port),
        "EMAIL_URL": f"smtp://127.0.0.1:{mail_server.port}",
        "CHARGEBEE_SITE": SITE,
        "CHARGEBEE_ENDPOINT": f"https://{PROVIDER}:{provider_port}/api/v2",
        "METRICS_NETWORKS": "127.0.0.1/32",
    }
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "faults" / "support" / "rehearsal_network"),
        "REHEARSAL_PROVIDER": PROVIDER,
        "REHEARSAL_CERTIFICATE": str(folder / "provider" / "fullchain.pem"),
        **settings,
    }
    manage({**environment, "DATABASE_URL": owner_url}, "migrate", "--noinput")
    manage(environment, "check", "--deploy", "--database", "default", "--fail-level", "WARNING")
    manage(environment, "collectstatic", "--noinput")
    manage(environment, "seed_site")

    processes: dict[str, PortalProcess] = {}
    for name, unit in (*((f"web-{n}", "web@") for n in (1, 2)), *((u, u) for u in ("codes", "worker", "jobs", "beat"))):
        shared = listener if unit == "web@" else None
        command = unit_command(unit, folder)
        processes[name] = PortalProcess(command, environment, folder / f"{name}.log", shared)
        processes[name].start_process()
        stack.callback(processes[name].kill_process)
    port = listener.getsockname()[1]
    proxy = stack.enter_context(
        run_proxy(folder / "proxy", portal_port=port, operators=f"{OPERATOR}/32", requests_a_second=30)
    )
    report_step("the portal answers through the proxy", holds=proxy.request("GET", "/api/site").status_code == 200)
    walk_as_stranger(proxy)
    token = walk_as_subscriber(proxy, mail_server)
    for name, process in processes.items():
        report_step(f"{name} stops by SIGTERM in {process.terminate_process():.1f} s", holds=True)
    see_logs(
        folder, {"a token": token, "a mail address": ADDRESS, "the key of the provider": settings["CHARGEBEE_API_KEY"]}
    )
