"""What operators can see and do."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.mail.queue import queue_mail
from accounts.models import (
    Account,
    AccountEvent,
    Brand,
    LoginChallenge,
    OutgoingMail,
    SessionToken,
    SignInEvent,
    SiteSettings,
    StreamingService,
    User,
)
from accounts.profile import events
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from core.models import LimitCounter

pytestmark = pytest.mark.django_db

LISTS = (
    Account,
    AccountEvent,
    Brand,
    LoginChallenge,
    OutgoingMail,
    SignInEvent,
    LimitCounter,
    StreamingService,
    User,
)
READ_ONLY = (Account, AccountEvent, LoginChallenge, OutgoingMail, SignInEvent, LimitCounter)


@pytest.fixture
def operator(client: Client) -> Client:
    """Return a client signed in as a superuser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def history(ava: Account) -> SignInClient:
    """Sign Ava in, record an event and queue a mail for her; return her browser."""
    call_command("seed_site", verbosity=0)
    sign_in_client = SignInClient()
    sign_in_client.sign_in()
    events.record_event(ava, kind="paused", text="You paused.", actor="you", at=datetime(2026, 5, 4, tzinfo=UTC))
    queue_mail(kind="receipt", to=ava.email, account=ava, context={"title": "Paused", "lines": [], "facts": []})
    return sign_in_client


def admin_url(kind: str, model: Any, *args: Any) -> str:
    """Return the URL of an admin page."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}", args=args)


@pytest.mark.parametrize("model", LISTS)
def test_every_list_and_change_page_opens(operator: Client, history: SignInClient, model: Any) -> None:
    assert operator.get(admin_url("changelist", model), {"q": "ava"}).status_code == 200
    registered = admin.site._registry[model].get_queryset(operator.get("/admin/").wsgi_request)
    assert operator.get(admin_url("change", model, registered[0].pk)).status_code == 200


@pytest.mark.shows("security-40")
@pytest.mark.parametrize("model", READ_ONLY)
def test_recorded_history_cannot_be_added_or_changed(operator: Client, history: SignInClient, model: Any) -> None:
    assert operator.get(admin_url("add", model)).status_code == 403
    assert operator.post(admin_url("change", model, model.objects.first().pk), {}).status_code == 403


@pytest.mark.shows("security-40")
def test_even_a_superuser_cannot_delete_an_event(operator: Client, history: SignInClient) -> None:
    event = AccountEvent.objects.get()
    assert operator.post(admin_url("delete", AccountEvent, event.pk), {"post": "yes"}).status_code == 403
    listing = operator.get(admin_url("changelist", AccountEvent)).content.decode()
    assert "delete_selected" not in listing


def test_sessions_are_shown_without_token_or_digest(operator: Client, history: SignInClient, ava: Account) -> None:
    session = SessionToken.objects.get()
    shown = operator.get(admin_url("change", Account, ava.pk)).content.decode()
    assert "Unrecognized browser" in shown
    assert session.digest not in shown
    assert session.token_key not in shown
    assert SessionToken not in admin.site._registry


def test_a_challenge_is_shown_without_its_hash(operator: Client, ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.request_code()
    send_due_mail()
    challenge = LoginChallenge.objects.get()
    shown = operator.get(admin_url("change", LoginChallenge, challenge.pk)).content.decode()
    assert challenge.code_hash not in shown
    assert "scrypt" not in shown


def test_an_account_page_links_to_its_records(operator: Client, history: SignInClient, ava: Account) -> None:
    shown = operator.get(admin_url("change", Account, ava.pk)).content.decode()
    links = re.findall(rf'href="(/admin/[^"]+account__id__exact={ava.pk})"', shown)
    assert {admin_url("changelist", model) for model in (AccountEvent, OutgoingMail, SignInEvent)} <= {
        link.split("?")[0] for link in links
    }
    assert all(operator.get(link).status_code == 200 for link in links)


def run_admin_action(operator: Client, model: Any, action: str, *pks: Any) -> str:
    """Run an action on rows of a list and return the page that follows."""
    answer = operator.post(admin_url("changelist", model), {"action": action, "_selected_action": pks}, follow=True)
    return answer.content.decode()


@pytest.mark.shows("security-17")
def test_operators_can_sign_an_account_out_everywhere(operator: Client, history: SignInClient, ava: Account) -> None:
    act = reverse("admin:accounts_account_act", args=[ava.pk, "sign-out-everywhere"])
    assert "Sessions ended: 1." in operator.post(act, {"reason": "Lost phone"}, follow=True).content.decode()
    assert not SessionToken.objects.exists()


def test_operators_can_switch_sign_in_off_and_on(operator: Client, history: SignInClient, ava: Account) -> None:
    run_admin_action(operator, Account, "switch_sign_in_off", ava.pk)
    ava.user.refresh_from_db()
    assert not ava.user.is_active
    assert not SessionToken.objects.exists()
    run_admin_action(operator, Account, "switch_sign_in_on", ava.pk)
    ava.user.refresh_from_db()
    assert ava.user.is_active


def test_an_operator_with_view_permission_gets_no_actions(client: Client, ava: Account) -> None:
    support = User.objects.create_user("sam", password="correct horse battery staple", is_staff=True)
    support.user_permissions.add(Permission.objects.get(codename="view_account"))
    client.force_login(support)
    assert "switch_sign_in_off" not in client.get(admin_url("changelist", Account)).content.decode()
    assert client.get(admin_url("changelist", LoginChallenge)).status_code == 403


def test_operators_can_retry_a_mail(operator: Client, history: SignInClient) -> None:
    receipt = OutgoingMail.objects.get(kind="receipt")
    OutgoingMail.objects.filter(pk=receipt.pk).update(state=OutgoingMail.State.FAILED)
    assert "Emails to retry now: 1." in run_admin_action(operator, OutgoingMail, "try_again", receipt.pk)
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_repr) == ("olga", "ava@example.com")
    assert entry.change_message == f"Had mail {receipt.pk} (receipt) tried again."


def test_the_log_of_a_mail_without_an_account_has_no_address(operator: Client) -> None:
    mail = queue_mail(kind="receipt", to="new@example.com", context={})
    assert mail is not None
    run_admin_action(operator, OutgoingMail, "try_again", mail.pk)
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_id) == ("olga", None)
    assert "new@example.com" not in f"{entry.object_repr} {entry.change_message}"


def test_the_outbox_shows_how_many_mails_wait_or_failed(operator: Client, history: SignInClient) -> None:
    OutgoingMail.objects.update(state=OutgoingMail.State.FAILED, given_up_at=timezone.now())
    given_up = OutgoingMail.objects.count()
    listing = operator.get(admin_url("changelist", OutgoingMail)).content.decode()
    assert f"0 waiting. Last 24 hours: 0 expired, {given_up} failed." in listing


def test_operators_can_lift_a_limit_by_deleting_its_counter(
    operator: Client, history: SignInClient, sign_in_client: SignInClient
) -> None:
    sign_in_client.request_code()
    counter = LimitCounter.objects.get(key="send-gap:127.0.0.1:ava@example.com")
    assert sign_in_client.request_code().status_code == 429
    operator.post(admin_url("delete", LimitCounter, counter.pk), {"post": "yes"})
    assert sign_in_client.request_code().status_code == 200


def test_the_settings_list_redirects_to_the_only_row(operator: Client) -> None:
    answer = operator.get(admin_url("changelist", SiteSettings), follow=True)
    assert answer.redirect_chain[-1][0] == admin_url("change", SiteSettings, 1)
    assert operator.get(admin_url("add", SiteSettings)).status_code == 403
    assert operator.post(admin_url("delete", SiteSettings, 1), {"post": "yes"}).status_code == 403


def test_settings_that_another_operator_changed_meanwhile_are_not_overwritten(operator: Client) -> None:
    address = admin_url("change", SiteSettings, 1)
    operator.get(admin_url("changelist", SiteSettings))
    form = operator.get(address).context["adminform"].form
    opened = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    switched_off = {name: value for name, value in opened.items() if name != "enable_cancel_button"}
    assert operator.post(address, switched_off).status_code == 302
    answer = operator.post(address, {**opened, "renewal_notice_days": 31})
    assert "Somebody has changed this since you opened the page." in answer.content.decode()
    assert not SiteSettings.objects.get().enable_cancel_button
    again = operator.get(address).context["adminform"].form
    assert operator.post(address, {**switched_off, "seen_version": again["seen_version"].value()}).status_code == 302


def post_brand_form(operator: Client, brand: Brand, **changes: str) -> Any:
    """Post the unchanged form of a brand, with these changes."""
    form = operator.get(admin_url("change", Brand, brand.pk)).context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data = {name: value for name, value in values.items() if value not in (False, None)}
    return operator.post(admin_url("change", Brand, brand.pk), {**data, **changes})


@pytest.mark.shows("rule-14")
def test_operators_can_change_the_colors_and_host_names_of_a_brand(operator: Client, history: SignInClient) -> None:
    kids = Brand.objects.get(code="kids")
    answer = post_brand_form(
        operator,
        kids,
        name="Small People",
        light_primary="#0a5a50",
        host_lines="Kids.example.com\nkids.localhost",
    )
    kids.refresh_from_db()
    assert answer.status_code == 302
    assert kids.name == "Small People"
    assert kids.colours["light"]["primary"] == "#0a5a50"
    assert kids.colours["dark"]["primary"] == "#7fdccb"
    assert kids.host_names == ["kids.example.com", "kids.localhost"]


def test_a_color_with_too_little_contrast_is_refused(operator: Client, history: SignInClient) -> None:
    kids = Brand.objects.get(code="kids")
    answer = post_brand_form(operator, kids, light_primary="#ffffee")
    assert answer.status_code == 200
    assert "text on primary" in answer.content.decode()


def test_an_injected_script_is_shown_as_text(operator: Client, ava: Account) -> None:
    Account.objects.filter(pk=ava.pk).update(first_name="<img src=x onerror=alert(1)>")
    SessionToken.objects.create(user=ava.user, agent="<script>alert(1)</script>")
    shown = operator.get(admin_url("change", Account, ava.pk)).content.decode()
    assert "<img src=x" not in shown
    assert "<script>alert(1)" not in shown


def test_an_operator_can_add_another_operator(operator: Client, ava: Account) -> None:
    secret = "correct horse battery staple"
    operator.post(
        admin_url("add", User),
        {"username": "otto", "password1": secret, "password2": secret, "usable_password": "true"},
    )
    assert User.objects.get(username="otto").check_password(secret)
    listing = operator.get(admin_url("changelist", User)).content.decode()
    assert "otto" in listing
    assert ava.user.username not in listing
