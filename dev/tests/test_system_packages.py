"""Which Node.js of the machine is used."""

import json

import pytest

from conftest import ROOT
from dev.setup import system_packages


def make_programs(folder, version, names=("node", "npm")):
    """Write programs that print this version."""
    for name in names:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)


@pytest.mark.parametrize("version", ["v18.20.4", "v20.19.0", "v22.11.0"])
def test_an_old_node_is_not_used(tmp_path, version):
    make_programs(tmp_path, version)
    assert not system_packages.has_supported_node(str(tmp_path))


@pytest.mark.parametrize("version", ["v22.12.0", "v24.3.0", "v100.0.0"])
def test_a_supported_node_is_used(tmp_path, version):
    make_programs(tmp_path, version)
    assert system_packages.has_supported_node(str(tmp_path))
    assert system_packages.find_node(str(tmp_path)) == version


def test_the_packages_declare_the_same_oldest_node():
    oldest = ".".join(map(str, system_packages.OLDEST_NODE))
    assert json.loads((ROOT / "package.json").read_text())["engines"]["node"] == f">={oldest}"


@pytest.mark.parametrize("names", [(), ("npm",), ("node",)])
def test_node_without_npm_is_not_used(tmp_path, names):
    make_programs(tmp_path, "v24.3.0", names)
    assert not system_packages.has_supported_node(str(tmp_path))
