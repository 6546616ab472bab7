"""The plans of a new site: the four items of the specification, arranged after the first migration."""

import json
from pathlib import Path
from typing import Any

from django.apps import apps as current_apps
from django.apps.registry import Apps

PLANS_FILE = Path(__file__).resolve().parent / "fixtures" / "plans.json"


def arrange_first_plans(*, apps: Apps = current_apps, **_: Any) -> None:
    """Arrange the plans of `PLANS_FILE` unless there are plans, or no table for them yet.

    A plan whose item the provider does not list has no price, so nobody is offered it.
    """
    try:
        plans = apps.get_model("billing", "Plan")._default_manager
    except LookupError:
        return
    if not plans.exists():
        plans.bulk_create([plans.model(**fields) for fields in json.loads(PLANS_FILE.read_text())])
