"""What operators arrange on the cancel screen, and what subscribers and the report see of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import Brand, User
from billing.models import CancelScreenOffer, ChurnEvent, SurveyQuestion
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import NOW, open_account

pytestmark = pytest.mark.django_db

OFFERS = "admin:billing_cancelscreenoffer"
QUESTIONS = "admin:billing_surveyquestion"


@pytest.fixture
def editor(client: Client) -> Client:
    user = User.objects.create_user("connie", password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name="content"))
    client.force_login(user)
    return client


def add_offer(editor: Client, heading: str, **fields: Any) -> Any:
    """Submit the form of a new offer."""
    form = {"heading": heading, "text": f"Text of {heading}", "position": 1, **fields}
    return editor.post(reverse(f"{OFFERS}_add"), form)


def edit_reasons(editor: Client, answers: list[str]) -> Any:
    """Submit the form of the first question's answers."""
    row = SurveyQuestion.objects.get(question="reason")
    return editor.post(reverse(f"{QUESTIONS}_change", args=[row.pk]), {"answers": "\r\n".join(answers)})


def read_screen() -> dict[str, Any]:
    """Return what the app reads for the cancel screen, on the day of NOW."""
    with time_machine.travel(NOW, tick=False):
        screen: dict[str, Any] = Browser(open_account("alice")).get("/api/account/cancel-screen").json()
    return screen


@pytest.mark.shows("api-64", "cancel-9", "cancel-10", "cancel-11")
def test_the_answers_are_those_of_the_specification_until_they_are_edited() -> None:
    assert read_screen() == {
        "survey": {
            "reason": [
                "Content is not interesting",
                "Found a better service",
                "Too expensive",
                "Technical Issues",
                "No longer needed",
            ],
            "satisfactionLevel": ["Very satisfied", "Satisfied", "Neutral", "Dissatisfied", "Very dissatisfied"],
            "dailyUsage": ["Daily", "Several times a week", "Once a week", "A few times a month", "Rarely"],
        },
        "pauseOffers": [],
    }


@pytest.mark.shows("cancel-15")
def test_the_offers_of_this_brand_and_day_are_shown_in_their_order(editor: Client) -> None:
    here = Brand.objects.create(code="here", name="Here", is_default=True)
    Brand.objects.create(code="kids", name="Kids")
    today = NOW.date()
    add_offer(editor, "Last", position=3)
    add_offer(editor, "First", brand=here.code, reason="Too expensive", starts_on=today, ends_on=today)
    add_offer(editor, "Other brand", brand="kids")
    add_offer(editor, "Over", ends_on=today - timedelta(days=1))
    add_offer(editor, "Later", starts_on=today + timedelta(days=1))
    assert read_screen()["pauseOffers"] == [
        {"heading": "First", "text": "Text of First", "reason": "Too expensive"},
        {"heading": "Last", "text": "Text of Last", "reason": ""},
    ]
    page = editor.get(reverse(f"{OFFERS}_changelist")).content.decode()
    assert "All brands" in page
    assert "Any reason" in page


def test_an_offer_that_ends_before_it_starts_is_refused(editor: Client) -> None:
    page = add_offer(editor, "Never", starts_on="2026-03-02", ends_on="2026-03-01").content.decode()
    assert "The last day is before the first one." in page
    assert read_screen()["pauseOffers"] == []


def test_an_offer_keeps_a_brand_that_was_deleted(editor: Client) -> None:
    offer = CancelScreenOffer.objects.create(heading="For them", text="Text", brand="gone")
    address = reverse(f"{OFFERS}_change", args=[offer.pk])
    assert '<option value="gone" selected>' in editor.get(address).content.decode()
    form = {"heading": "Renamed", "text": "Text", "position": 1, "brand": "gone"}
    assert editor.post(address, form).status_code == 302
    offer.refresh_from_db()
    assert (offer.heading, offer.brand) == ("Renamed", "gone")


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        (["One"], "Enter 2 to 12 answers"),
        (["One", "", "Two"], "Remove empty lines and extra spaces."),
        (["One", "Two", "One"], "An answer is there twice."),
        (["One", "x" * 61], "An answer has at most 60 characters."),
    ],
)
def test_answers_that_cannot_be_offered_are_refused(editor: Client, answers: list[str], error: str) -> None:
    assert error in edit_reasons(editor, answers).content.decode()
    assert len(read_screen()["survey"]["reason"]) == 5


@pytest.mark.shows("cancel-12")
def test_edited_answers_are_offered_and_counted_with_those_that_were_given_before(editor: Client) -> None:
    ChurnEvent.objects.create(at=NOW, kind="cancelled", subscription_id="faith", reason="No longer needed")
    assert edit_reasons(editor, ["Too expensive", "Moving abroad"]).status_code == 302
    assert read_screen()["survey"]["reason"] == ["Too expensive", "Moving abroad"]
    assert SurveyQuestion.objects.get(question="reason").accepted >= {"Moving abroad", "No longer needed"}
    editor.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    with time_machine.travel(NOW, tick=False):
        report = editor.get(reverse("admin:billing_churnreport_changelist"))
    reasons = next(table for table in report.context["tables"] if table.id == "reason")
    assert [tuple(row[:2]) for row in reasons.rows] == [
        ("Too expensive", 0),
        ("Moving abroad", 0),
        ("No longer needed", 1),
        ("not answered", 0),
    ]
