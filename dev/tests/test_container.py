"""The image, `compose.yaml` and the systemd units match what the demo installs and runs."""

import re

import pytest
import yaml

from conftest import ROOT
from dev.run import portal_processes
from dev.setup.system_packages import PANGO_DEBIAN

DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def test_the_image_installs_the_libraries_that_render_invoices():
    installed = re.findall(r"apt-get install .*?(lib.*?) \\", DOCKERFILE)

    assert installed == [" ".join(PANGO_DEBIAN)]


def test_the_image_contains_every_application():
    copied = set(re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE))
    applications = {file.parent.name for file in ROOT.glob("*/apps.py")} - {"chargebee_sandbox"}

    assert copied >= applications
    assert all(f"!{name}\n" in (ROOT / ".dockerignore").read_text() for name in applications)


def test_the_image_contains_the_runbook_that_the_admin_shows():
    assert "COPY docs/runbook.md docs/runbook.md\n" in DOCKERFILE
    assert "!docs/runbook.md\n" in (ROOT / ".dockerignore").read_text()


@pytest.mark.shows("security-41")
def test_the_broker_of_the_containers_has_the_password_that_the_portal_sends():
    command = SERVICES["redis"]["command"]

    assert command[command.index("--requirepass") + 1] == "${REDIS_PASSWORD}"
    assert SERVICES["web"]["environment"]["REDIS_URL"].startswith("redis://:${REDIS_PASSWORD:?")


@pytest.mark.shows("security-66")
def test_no_process_of_the_portal_is_given_the_password_of_the_role_that_owns_the_tables():
    served = {name: service for name, service in SERVICES.items() if "env_file" in service and name != "migrate"}

    assert {*served} == {"web", "web2", "codes", "worker", "jobs", "beat"}
    assert {name: service["environment"].get("POSTGRES_OWNER_PASSWORD") for name, service in served.items()} == (
        dict.fromkeys(served, "")
    )
    assert [name for name, service in served.items() if "portal_owner" in service["environment"]["DATABASE_URL"]] == []


def test_the_workers_consume_the_queues_of_the_demo():
    demo = portal_processes()
    queues = {name: demo[name][demo[name].index("-Q") + 1] for name in ("codes", "worker", "jobs")}

    assert {name: SERVICES[name]["command"][-3] for name in queues} == queues
    assert {"web", "beat", *queues} <= set(SERVICES)


def read_units() -> dict[str, str]:
    """Return the text of each service's unit by the name of its process."""
    return {file.stem.removeprefix("portal-"): file.read_text() for file in ROOT.glob("deploy/systemd/*.service")}


@pytest.mark.shows("security-69")
def test_what_the_units_write_is_unreadable_to_other_users_of_the_host():
    units = read_units()
    assert set(units) == {"web@", "codes", "worker", "jobs", "beat"}
    closed = {"UMask=0027", "StateDirectoryMode=0750"}
    assert [name for name, text in units.items() if not closed <= {*text.splitlines()}] == []
    assert "install -d -m 750 -o portal -g portal /var/lib/portal\n" in (ROOT / "docs" / "deployment.md").read_text()


def test_the_units_run_the_commands_of_the_containers():
    units = read_units()
    commands = {
        name: re.findall(r"^ExecStart=/opt/portal/current/.venv/bin/(.+)$", text, re.MULTILINE)
        for name, text in units.items()
    }

    assert commands.pop("web@") == [
        re.findall(r"^CMD (.+)$", DOCKERFILE, re.MULTILINE)[0].strip('["]').replace('", "', " ")
    ]
    assert {name: [line.replace("%%", "%")] for name, (line,) in commands.items()} == {
        name: [" ".join(SERVICES[name]["command"])] for name in commands
    }
    assert {*commands} == {"codes", "worker", "jobs", "beat"}


@pytest.mark.shows("security-10")
def test_the_proxy_of_the_containers_is_published_only_where_it_sees_who_connects():
    assert SERVICES["proxy"]["ports"] == ["0.0.0.0:80:80", "0.0.0.0:443:443"]


def test_the_proxy_of_the_containers_finds_both_web_servers():
    upstream = (ROOT / "deploy" / "upstream.compose.conf").read_text()

    assert re.findall(r"^server (\w+):8000 resolve;$", upstream, re.MULTILINE) == [
        name for name in SERVICES if "web" in name
    ]
    mounted = [volume.split(":")[1] for volume in SERVICES["proxy"]["volumes"]]
    included = re.findall(r"include +(/etc/nginx/portal.+);", (ROOT / "deploy" / "nginx.conf").read_text())
    assert {*included} <= {*mounted}
