"""The checks: each a name and a command, or a comparison of what is committed with what would be generated."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from dev.places import NODE_MODULES, PYTHON, ROOT, VENV

BIN = VENV / "bin"
NODE_BIN = NODE_MODULES / ".bin"
OPENAPI = ROOT / "docs" / "openapi.json"
SHOWN_BY = ROOT / "docs" / "specification.md"
# The pages that are written from tables of what tests show; each table lies beside its page.
SHOWN = (SHOWN_BY, ROOT / "docs" / "security.md", ROOT / "docs" / "reliability.md")
TYPES = ROOT / "frontend" / "src" / "lib" / "api" / "schema.d.ts"

# The exit code of a check that cannot be made here, as test runners have it; it says why.
LEFT_OUT = 77

Command = list[str | Path]


@dataclass(frozen=True)
class Check:
    """One check; `env` is added to the environment, `fresh` names a committed file and the one just generated."""

    name: str
    command: Command
    env: dict[str, str] = field(default_factory=dict)
    fresh: tuple[Path, Path] | None = None


def production_environment(scratch: Path) -> dict[str, str]:
    """Every setting that production needs, with values nobody uses, so that `check --deploy` sees a whole one."""
    return {
        "PORTAL_ENV": "production",
        "VAR_DIR": str(scratch),
        "SECRET_KEY": secrets.token_urlsafe(48),
        "OTP_PEPPER": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "portal.example.com",
        "BASE_URL": "https://portal.example.com",
        "LINK_DOMAINS": "example.com",
        "NUM_PROXIES": "1",
        "ADMIN_NETWORKS": "192.0.2.0/24",
        "DATABASE_URL": "postgres://portal:unused@db.example.com:5432/portal",
        "REDIS_URL": "rediss://cache.example.com:6379/0",
        "EMAIL_URL": "smtp+tls://portal:unused@mail.example.com:587",
        "CHARGEBEE_SITE": "example",
        "CHARGEBEE_API_KEY": f"live_{secrets.token_hex(16)}",
        "CHARGEBEE_PUBLISHABLE_KEY": f"live_{secrets.token_hex(16)}",
        "CHARGEBEE_WEBHOOK_PASSWORDS": secrets.token_urlsafe(24),
    }


def openapi_command(target: Path) -> Command:
    """The command that writes the API's document."""
    return [
        PYTHON,
        "manage.py",
        "spectacular",
        "--format",
        "openapi-json",
        "--validate",
        "--fail-on-warn",
        "--file",
        target,
    ]


def types_command(target: Path) -> Command:
    """The command that writes the app's types from the committed document."""
    return [NODE_BIN / "openapi-typescript", OPENAPI, "--output", target, "--alphabetize"]


def shown_command(page: Path, target: Path) -> Command:
    """The command that writes one of the pages that say which tests show what."""
    return [PYTHON, "dev/specification.py", target, page.relative_to(ROOT).with_suffix(".toml")]


def _shown(page: Path, scratch: Path) -> Check:
    table, target = page.relative_to(ROOT).with_suffix(".toml"), scratch / page.name
    name = f"every row of {table} has a test that shows it, and {page.relative_to(ROOT)} is fresh"
    return Check(name, shown_command(page, target), fresh=(page, target))


def checks(scratch: Path) -> list[Check]:
    """All checks; `scratch` is a folder for what they write, and they run side by side."""
    here = {"VAR_DIR": str(scratch), "PORTAL_ENV": "demo"}
    document, types = scratch / "openapi.json", scratch / "schema.d.ts"
    migrations: Command = [PYTHON, "-W", "ignore", "manage.py", "makemigrations", "--check", "--dry-run"]
    return [
        Check("ruff: rules", [BIN / "ruff", "check", "."]),
        Check("ruff: format", [BIN / "ruff", "format", "--check", "."]),
        Check("who may import whom", [BIN / "lint-imports"]),
        Check("frontend: rules and format", ["npm", "run", "--silent", "lint"]),
        Check("frontend: types", ["npm", "run", "--silent", "typecheck"]),
        Check("mypy", [BIN / "mypy"], here),
        Check("migrations are complete", migrations, here),
        Check(
            "the sandbox's migrations are complete",
            migrations,
            {**here, "DJANGO_SETTINGS_MODULE": "billing.sandbox.settings"},
        ),
        Check(
            "deployment",
            [PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            production_environment(scratch),
        ),
        Check("docs/openapi.json is fresh", openapi_command(document), here, fresh=(OPENAPI, document)),
        Check("the app's types are fresh", types_command(types), here, fresh=(TYPES, types)),
        *(_shown(page, scratch) for page in SHOWN),
        Check("docs/specification.toml forgets nothing", [PYTHON, "dev/specification_source.py"]),
    ]
