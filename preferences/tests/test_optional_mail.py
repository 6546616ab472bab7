"""Optional mail: sent only to subscribers who chose it, with one-click unsubscribe without sign-in (RFC 8058)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from accounts.mail.queue import queue_mail
from accounts.models import Account, Brand, OutgoingMail
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from preferences import email_preferences
from preferences.models import Preference, PreferenceChange

pytestmark = pytest.mark.django_db

RECEIPT: dict[str, object] = {"title": "New this week", "lines": ["Seven episodes."], "facts": []}
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def subscribed(ava: Account) -> Account:
    """Return Ava's account, subscribed to all four kinds."""
    email_preferences.change_preferences(ava, dict.fromkeys(Preference, True), source=PreferenceChange.Source.PORTAL)
    return ava


@pytest.fixture
def stranger(db: None) -> Client:
    """Return a client without a session that enforces CSRF checks, as for a browser or a mail provider."""
    return Client(enforce_csrf_checks=True)


def send_optional_mail(account: Account, category: str = "promotions") -> list[EmailMessage]:
    """Queue a mail of a category, send the due mails and return all that were sent."""
    queue_mail(kind="receipt", to=account.email, account=account, context=RECEIPT, category=category)
    send_due_mail()
    return list(mail.outbox)


def unsubscribe_path(message: EmailMessage) -> str:
    """Return the path of the link in the List-Unsubscribe header."""
    header = str(message.extra_headers["List-Unsubscribe"])
    assert header.startswith("<http://")
    return header.strip("<>").removeprefix("http://").partition("/")[2].join(["/", ""])


def test_it_has_unsubscribe_links(subscribed: Account) -> None:
    [message] = send_optional_mail(subscribed)
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert unsubscribe_path(message).startswith("/unsubscribe/")
    # The same link, whose signature tells the second in which it was made.
    assert f"Unsubscribe: {message.extra_headers['List-Unsubscribe'].strip('<>')}" in str(message.body)


def test_required_mail_has_no_unsubscribe_link_and_is_always_sent(ava: Account) -> None:
    [message] = send_optional_mail(ava, category="")
    assert not {"List-Unsubscribe", "List-Unsubscribe-Post"} & set(message.extra_headers)
    assert "Unsubscribe" not in str(message.body)


def test_it_is_not_sent_to_a_subscriber_who_did_not_choose_it(ava: Account) -> None:
    assert send_optional_mail(ava) == []
    assert OutgoingMail.objects.get().state == OutgoingMail.State.DROPPED


def test_unsubscribing_also_stops_queued_mail(subscribed: Account) -> None:
    queue_mail(kind="receipt", to=subscribed.email, account=subscribed, context=RECEIPT, category="promotions")
    email_preferences.change_preferences(
        subscribed, {Preference.PROMOTIONS: False}, source=PreferenceChange.Source.PORTAL
    )
    send_due_mail()
    assert mail.outbox == []


def test_one_click_unsubscribes_from_its_kind_only(subscribed: Account, stranger: Client) -> None:
    address = unsubscribe_path(send_optional_mail(subscribed)[0])
    answer = stranger.post(address, ONE_CLICK)
    assert answer.status_code == 200
    assert "re unsubscribed" in answer.content.decode()
    preferences = email_preferences.preferences_of_account(subscribed)
    assert [preference for preference, is_wanted in preferences.items() if not is_wanted] == ["promotions"]
    change = PreferenceChange.objects.first()
    assert change is not None
    assert (change.preference, change.wanted, change.source) == ("promotions", False, "one_click")
    stranger.post(address, ONE_CLICK)
    assert PreferenceChange.objects.filter(source="one_click").count() == 1
    assert len(send_optional_mail(subscribed)) == 1


def test_opening_the_link_shows_a_button_and_changes_nothing(subscribed: Account, stranger: Client) -> None:
    address = unsubscribe_path(send_optional_mail(subscribed)[0])
    page = stranger.get(address)
    assert stranger.head(address).status_code == 200
    assert '<form method="post"><button>Unsubscribe</button></form>' in page.content.decode()
    assert '<link rel="stylesheet" href="/brand.css">' in page.content.decode()
    assert page["Referrer-Policy"] == "no-referrer"
    assert "no-store" in page["Cache-Control"]
    assert email_preferences.is_wanted(subscribed, "promotions")


@pytest.mark.shows("security-68")
def test_the_page_tells_nothing_of_the_address_even_once_it_has_changed(subscribed: Account, stranger: Client) -> None:
    link = unsubscribe_path(send_optional_mail(subscribed)[0])
    Account.objects.filter(pk=subscribed.pk).update(email="ava@new-life.example.org")
    for page in (stranger.get(link).content.decode(), stranger.post(link, ONE_CLICK).content.decode()):
        assert "“Promotions”" in page
        assert [told for told in ("new-life", "ava", "@") if told in page] == []


@pytest.mark.parametrize("spoil", [str.upper, lambda token: token[:-1], lambda token: f"x{token}", lambda _: "x:y:z"])
def test_an_altered_link_is_not_found_and_changes_nothing(subscribed: Account, stranger: Client, spoil: Any) -> None:
    token = unsubscribe_path(send_optional_mail(subscribed)[0]).removeprefix("/unsubscribe/")
    answer = stranger.post(f"/unsubscribe/{spoil(token)}", ONE_CLICK)
    assert answer.status_code == 404
    assert email_preferences.is_wanted(subscribed, "promotions")


def test_the_link_of_an_erased_account_is_not_found(subscribed: Account, stranger: Client) -> None:
    address = unsubscribe_path(send_optional_mail(subscribed)[0])
    subscribed.user.delete()
    assert stranger.post(address, ONE_CLICK).status_code == 404


def test_the_link_does_not_sign_in(subscribed: Account, stranger: Client) -> None:
    token = unsubscribe_path(send_optional_mail(subscribed)[0]).removeprefix("/unsubscribe/")
    sign_in_client = SignInClient()
    sign_in_client.carry_token(token)
    assert sign_in_client.api.get("/api/account/communicationPreferences").status_code == 401


def test_the_page_has_the_logo_and_the_colors_of_its_brand(subscribed: Account, stranger: Client) -> None:
    brand = Brand.objects.create(
        code="kids", name="Kids", host_names=["kids.example.com"], logo="portal/art/brands/kids.svg"
    )
    address = unsubscribe_path(send_optional_mail(subscribed)[0])
    page = stranger.get(address, headers={"host": "kids.example.com"}).content.decode()
    assert f'<img src="{brand.logo_url}" alt="Kids" height="36">' in page
    styles = stranger.get("/brand.css", headers={"host": "kids.example.com"})
    assert styles["Content-Type"] == "text/css; charset=utf-8"
    assert brand.colours["light"]["primary"] in styles.content.decode()
