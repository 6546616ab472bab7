"""Boundaries between the layers that the import linter cannot check."""

import ast
from pathlib import Path

import pytest

from conftest import ROOT

PACKAGES = ("changes", "commands", "health", "invoices", "jobs", "mirror", "payment_methods", "receipts")
BUSINESS_FILES = sorted(file for package in PACKAGES for file in (ROOT / "billing" / package).rglob("*.py"))
API_FILES = sorted((ROOT / "billing" / "api").rglob("*.py"))


def imported_modules(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return modules | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def manager_lines(file: Path) -> list[int]:
    names = ("objects", "_default_manager")
    tree = ast.parse(file.read_text())
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in names]


@pytest.mark.parametrize("file", BUSINESS_FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_business_code_does_not_import_http(file):
    assert {
        module for module in imported_modules(file) if module.startswith(("django.http", "rest_framework"))
    } == set()


@pytest.mark.parametrize("file", API_FILES, ids=lambda file: file.name)
def test_an_endpoint_uses_no_model_manager(file):
    assert manager_lines(file) == []
