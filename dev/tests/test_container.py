"""The image and the processes of `compose.yaml` match what the demo installs and runs."""

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


def test_the_workers_consume_the_queues_of_the_demo():
    demo = portal_processes()
    queues = {name: demo[name][demo[name].index("-Q") + 1] for name in ("codes", "worker", "jobs")}

    assert {name: SERVICES[name]["command"][-3] for name in queues} == queues
    assert {"web", "beat", *queues} <= set(SERVICES)
