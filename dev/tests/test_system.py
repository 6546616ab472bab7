"""What the machine itself must have is looked at before it is used."""

import pytest

from dev import system
from dev.console import CannotContinue


@pytest.fixture
def node(tmp_path, monkeypatch):
    """A machine whose Node says that it is of a version."""

    def of(version):
        for name in ("node", "npm"):
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\necho {version}\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return of


@pytest.mark.parametrize("version", ["v18.20.4", "v20.9.0", "v20.18.3"])
def test_a_node_that_is_too_old_is_named_beside_what_is_needed(node, version):
    node(version)

    with pytest.raises(CannotContinue, match=rf"Node 20\.19 or newer is needed; this is {version}\."):
        system.node_version()


@pytest.mark.parametrize("version", ["v20.19.0", "v22.3.0", "v100.0.0"])
def test_a_node_that_is_new_enough_is_taken(node, version):
    node(version)

    assert system.node_version() == version
