"""A provider that sells our plans, and the portal that knows what time it is there."""

from __future__ import annotations

import pytest

from billing.tests.live import Provider
from conftest import Sandbox


@pytest.fixture
def provider(db: None, sandbox: Sandbox) -> Provider:
    """The sandbox, started afresh, with our plans on sale and its clock followed."""
    opened = Provider(sandbox=sandbox, sdk=sandbox.client())
    opened.open_shop()
    return opened
