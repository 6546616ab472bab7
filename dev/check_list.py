"""The checks of `make check`: a command each, some with a committed file that is compared with a generated one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from dev.paths import NODE_MODULES, PYTHON, ROOT, VENV

BIN = VENV / "bin"
NODE_BIN = NODE_MODULES / ".bin"
OPENAPI = ROOT / "docs" / "openapi.json"
TYPES = ROOT / "frontend" / "src" / "lib" / "api" / "schema.d.ts"

Command = list[str | Path]


@dataclass(frozen=True)
class Check:
    """A check; `env` is added to the environment, `fresh` names a committed file and the one just generated."""

    name: str
    command: Command
    env: dict[str, str] = field(default_factory=dict)
    fresh: tuple[Path, Path] | None = None


def production_environment(scratch: Path) -> dict[str, str]:
    """Return all settings that production requires, with made-up values, for `check --deploy`."""
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
        "DATABASE_URL": "postgres://portal:unused@db.example.com:5432/portal?sslmode=verify-full",
        "REDIS_URL": "rediss://:unused@cache.example.com:6379/0",
        "EMAIL_URL": "smtp+tls://portal:unused@mail.example.com:587",
        "DEFAULT_FROM_EMAIL": "Subscriptions <no-reply@portal.example.org>",
        "CHARGEBEE_SITE": "example",
        "CHARGEBEE_API_KEY": f"live_{secrets.token_hex(16)}",
        "CHARGEBEE_PUBLISHABLE_KEY": f"live_{secrets.token_hex(16)}",
        "CHARGEBEE_WEBHOOK_PASSWORDS": secrets.token_urlsafe(24),
    }


def openapi_command(target: Path) -> Command:
    """Return the command that writes the OpenAPI document."""
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
    """Return the command that writes the app's types from the committed OpenAPI document."""
    return [NODE_BIN / "openapi-typescript", OPENAPI, "--output", target, "--alphabetize"]


def all_checks(scratch: Path) -> list[Check]:
    """Return all checks, which may run concurrently; they write into the folder `scratch`."""
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
            "migrations run beside the release before",
            [PYTHON, "dev/migration_rules.py"],
            {**here, "DJANGO_SETTINGS_MODULE": "portal.settings"},
        ),
        Check(
            "the sandbox's migrations are complete",
            migrations,
            {**here, "DJANGO_SETTINGS_MODULE": "chargebee_sandbox.settings"},
        ),
        Check(
            "deployment",
            [PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            production_environment(scratch),
        ),
        Check("docs/openapi.json is fresh", openapi_command(document), here, fresh=(OPENAPI, document)),
        Check("the app's types are fresh", types_command(types), here, fresh=(TYPES, types)),
        Check("a test shows every entry of the documents", [PYTHON, "dev/traceability.py"]),
    ]
