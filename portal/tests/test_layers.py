"""The lines between the rooms that an import alone does not show."""

import ast
from pathlib import Path

import pytest

from conftest import ROOT

ROOMS = ("changes", "commands", "health", "invoices", "jobs", "mirror", "payment_methods", "receipts")
BUSINESS = sorted(file for room in ROOMS for file in (ROOT / "billing" / room).rglob("*.py"))
API_FILES = sorted((ROOT / "billing" / "api").rglob("*.py"))


def imported_modules(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return modules | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def manager_lines(file: Path) -> list[int]:
    names = ("objects", "_default_manager")
    tree = ast.parse(file.read_text())
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in names]


@pytest.mark.parametrize("file", BUSINESS, ids=lambda file: str(file.relative_to(ROOT)))
def test_business_code_knows_nothing_of_http(file):
    assert {
        module for module in imported_modules(file) if module.startswith(("django.http", "rest_framework"))
    } == set()


@pytest.mark.parametrize("file", API_FILES, ids=lambda file: file.name)
def test_an_endpoint_asks_no_manager(file):
    assert manager_lines(file) == []
