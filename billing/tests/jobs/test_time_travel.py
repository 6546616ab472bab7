"""The error messages of `manage.py timetravel`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("duration", ["x", "31", "0d", "-1d", "31D", "31d ", "1.5d", "10000d", "1m"])
def test_it_refuses_an_invalid_duration(duration: str) -> None:
    with pytest.raises(CommandError, match="Give a number of hours or days"):
        call_command("timetravel", "--", duration, stdout=StringIO())


def test_it_reports_an_unreachable_provider(settings: Settings) -> None:
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:1/api/v2"

    with pytest.raises(CommandError, match=r"The billing provider could not be reached: .*\. Is it running"):
        call_command("timetravel", "1d", stdout=StringIO())
