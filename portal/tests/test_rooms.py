"""The lines between the rooms that an import alone does not show."""

import ast
from pathlib import Path

import pytest

from conftest import ROOT

SERVICES = sorted((ROOT / "billing" / "services").rglob("*.py"))
API = sorted((ROOT / "billing" / "api").rglob("*.py"))


def imported(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return modules | {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }


def managers(file: Path) -> list[int]:
    names = ("objects", "_default_manager")
    tree = ast.parse(file.read_text())
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in names]


@pytest.mark.parametrize("file", SERVICES, ids=lambda file: file.name)
def test_a_service_knows_nothing_of_http(file):
    assert {
        module for module in imported(file) if module.startswith(("django.http", "rest_framework"))
    } == set()


@pytest.mark.parametrize("file", API, ids=lambda file: file.name)
def test_an_endpoint_asks_no_manager(file):
    assert managers(file) == []
