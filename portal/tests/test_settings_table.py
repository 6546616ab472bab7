"""`docs/settings.md` and `.env.example` match the variables that the code reads."""

import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from dev import test as suites
from dev.check_list import production_environment
from portal.env import read_environment

APPLICATIONS = (
    "accounts",
    "billing",
    "chargebee_sandbox",
    "core",
    "dev",
    "e2e",
    "faults",
    "operators",
    "portal",
    "preferences",
)
READ = re.compile(
    r"""(?:environ(?:\.get\(|\.setdefault\(|\[)|read\.\w+\(|_\w+\(\s*read,|_port\(|_number\()\s*["']([A-Z][A-Z_]*)["']""",
    re.VERBOSE,
)
# Variables of the system, Django and pytest.
EXTERNAL_VARIABLES = {"PATH", "PYTHONPATH", "DJANGO_SETTINGS_MODULE", "DYLD_FALLBACK_LIBRARY_PATH"}
EXTERNAL_VARIABLES |= {"OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "PYTEST_XDIST_WORKER"}
WSGI_VARIABLES = {
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "HTTP_TRANSFER_ENCODING",
    "PATH_INFO",
    "REMOTE_ADDR",
    "REQUEST_METHOD",
}
ROW = re.compile(r"^\| `([A-Z_]+)` \| (.+?) \| (.*?) \| (.*?) \| (.+) \|$", re.MULTILINE)
ALL_DOCUMENTED = (ROOT / "docs" / "settings.md").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()

SHOW = {
    "web": "import runpy; c = runpy.run_path('portal/gunicorn_conf.py'); print(c['bind'], c['workers'], c['threads'])",
    "sandbox": "import chargebee_sandbox.settings as s;"
    " print({n: str(getattr(s, n)) for n in dir(s) if n.startswith('SANDBOX_')})",
}


def read_section(title):
    """Return the rows of one table: the variable with its type, demo value and production value."""
    text = ALL_DOCUMENTED.split(f"## {title}\n")[1].split("\n## ")[0]
    return {name: (kind, demo, production) for name, kind, demo, production, _meaning in ROW.findall(text)}


def table_defaults(rows):
    """Return the default values that a table spells out."""
    literal = {name: re.fullmatch(r"`([^`]+)`|empty", row[1]) for name, row in rows.items()}
    return {name: found[1] or "" for name, found in literal.items() if found}


@pytest.fixture
def bare(monkeypatch):
    """An environment without any variable of the portal."""
    monkeypatch.chdir(ROOT)
    for name, *_ in ROW.findall(ALL_DOCUMENTED):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_tables_list_exactly_the_variables_that_the_code_reads():
    files = [
        ROOT / "conftest.py",
        *(file for application in APPLICATIONS for file in (ROOT / application).rglob("*.py")),
    ]
    read = {name for file in files for name in READ.findall(file.read_text())}

    documented = [name for name, *_ in ROW.findall(ALL_DOCUMENTED)]

    assert sorted(documented) == sorted(read - EXTERNAL_VARIABLES - WSGI_VARIABLES)


def test_the_portal_defaults_match_the_table(bare):
    unset = read_environment()
    for name, value in table_defaults(read_section("The portal")).items():
        bare.setenv(name, value)

    assert read_environment() == unset


@pytest.mark.parametrize(("what", "title"), [("web", "The portal"), ("sandbox", "The sandbox")])
def test_the_web_server_and_sandbox_defaults_match_the_table(bare, what, title):
    def shown(**added):
        command = [sys.executable, "-c", SHOW[what]]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **added}, capture_output=True, text=True, check=True
        ).stdout

    assert shown() == shown(**table_defaults(read_section(title)))


def test_the_test_server_defaults_match_the_table():
    rows = table_defaults(read_section("Tests and tools"))

    assert rows == {"TEST_DATABASE_URL": suites.DATABASE_URL, "TEST_REDIS_URL": suites.REDIS_URL}


def test_the_required_variables_are_those_of_the_production_check(tmp_path):
    rows = read_section("The portal")
    required = {name for name, (_kind, _demo, production) in rows.items() if "**required**" in production}

    assert required == set(production_environment(tmp_path)) - {"VAR_DIR"}


def test_env_example_names_every_setting_of_the_portal():
    named = set(re.findall(r"[A-Z][A-Z_]+[A-Z]", EXAMPLE))

    assert set(read_section("The portal")) <= named


def test_env_example_has_only_known_settings_with_demo_defaults():
    shown = dict(re.findall(r"^#?([A-Z][A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))
    portal = table_defaults(read_section("The portal"))
    compared = ("PORTAL_ENV", "PORT", "VAR_DIR", "WEB_PROCESSES", "WEB_THREADS", "LOG_LEVEL")

    assert set(shown) <= {name for name, *_ in ROW.findall(ALL_DOCUMENTED)} | {
        "POSTGRES_PASSWORD",
        "POSTGRES_OWNER_PASSWORD",
        "REDIS_PASSWORD",
        "IMAGE_TAG",
    }
    assert {name: shown[name] for name in compared} == {name: portal[name] for name in compared}
