"""Newsletters: operators send them, and only those who want them get them, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account, OutgoingMail, User
from accounts.tests.sign_in.sign_in_client import send_due_mail
from preferences import newsletters
from preferences.email_preferences import change_preferences
from preferences.models import Newsletter, Preference, PreferenceChange

pytestmark = pytest.mark.django_db

LIST = reverse("admin:preferences_newsletter_changelist")


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def newsletter(db: None) -> Newsletter:
    return Newsletter.objects.create(title="New this week", text="Seven episodes.\n\nAnd a movie.")


def want(account: Account, *, wanted: bool = True) -> None:
    """Let an account want the newsletter, or not any more."""
    change_preferences(account, {Preference.NEWS_LETTER: wanted}, source=PreferenceChange.Source.PORTAL)


def send(operator: Client, newsletter: Newsletter) -> str:
    """Send a newsletter in the admin; return the page that says so."""
    data = {"action": "send", "_selected_action": [newsletter.pk]}
    return operator.post(LIST, data, follow=True).content.decode()


@pytest.mark.shows("rule-23")
def test_it_goes_once_to_those_who_want_it_with_one_click_unsubscribe(
    operator: Client, newsletter: Newsletter, ava: Account
) -> None:
    Account.objects.open_account(email="bob@example.com")
    want(ava)
    assert "goes to 1 subscriber." in send(operator, newsletter)
    assert "goes to 0 subscribers." in send(operator, newsletter)
    send_due_mail()
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["ava@example.com"], "New this week")
    assert "Hello, Ava" in message.body
    assert "And a movie." in message.body
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "/unsubscribe/" in message.extra_headers["List-Unsubscribe"]


@pytest.mark.shows("rule-23")
def test_it_goes_once_to_an_address_of_several_accounts(operator: Client, newsletter: Newsletter, ava: Account) -> None:
    moved = Account.objects.open_account(email="ava@example.org")
    want(ava)
    want(moved)
    Account.objects.filter(pk=moved.pk).update(email=ava.email)
    assert "goes to 1 subscriber." in send(operator, newsletter)
    send_due_mail()
    (message,) = mail.outbox
    unsubscribe = message.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("http://").partition("/")[2]
    assert Client().post(f"/{unsubscribe}", {"List-Unsubscribe": "One-Click"}).status_code == 200
    send(operator, Newsletter.objects.create(title="Next week", text="One episode."))
    send_due_mail()
    assert len(mail.outbox) == 1


def test_it_is_not_sent_to_somebody_who_unsubscribed_meanwhile(
    operator: Client, newsletter: Newsletter, ava: Account
) -> None:
    want(ava)
    send(operator, newsletter)
    want(ava, wanted=False)
    send_due_mail()
    assert mail.outbox == []


def test_a_sending_that_stopped_goes_on_where_it_was(
    newsletter: Newsletter, ava: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    want(ava)
    want(Account.objects.open_account(email="bob@example.com"))
    monkeypatch.setattr(newsletters, "PORTION", 1)
    assert newsletters.send_newsletter(newsletter) == newsletters.SendingResult(queued=1, left=1)
    assert newsletters.send_newsletter(newsletter) == newsletters.SendingResult(queued=1, left=0)
    assert OutgoingMail.objects.filter(kind="newsletter").count() == 2


def test_what_another_operator_wrote_meanwhile_is_not_overwritten(operator: Client, newsletter: Newsletter) -> None:
    address = reverse("admin:preferences_newsletter_change", args=[newsletter.pk])
    form = operator.get(address).context["adminform"].form
    opened = {name: form[name].value() for name in form.fields}
    assert operator.post(address, {**opened, "title": "First"}).status_code == 302
    refused = operator.post(address, {**opened, "text": "Second"})
    assert "Somebody has changed this since you opened the page." in refused.content.decode()
    newsletter.refresh_from_db()
    assert (newsletter.title, newsletter.text) == ("First", opened["text"])


def test_one_that_was_sent_cannot_be_changed_and_after_a_month_not_sent(
    operator: Client, newsletter: Newsletter, ava: Account
) -> None:
    page = reverse("admin:preferences_newsletter_change", args=[newsletter.pk])
    assert 'name="title"' in operator.get(page).content.decode()
    send(operator, newsletter)
    assert 'name="title"' not in operator.get(page).content.decode()
    Newsletter.objects.update(sent_at=timezone.now() - timedelta(days=31))
    want(ava)
    assert "Write a new one." in send(operator, newsletter)
    assert not OutgoingMail.objects.exists()


def test_the_demo_has_one() -> None:
    Account.objects.open_account(email="ben@example.com", first_name="Ben")
    call_command("seed_choices")
    call_command("seed_choices")
    send_due_mail()
    (message,) = mail.outbox
    assert message.subject == newsletters.demo_newsletter().title
    assert "List-Unsubscribe" in message.extra_headers
