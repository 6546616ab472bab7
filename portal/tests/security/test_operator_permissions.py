"""The permissions of each group of operators, checked at every URL of the admin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import JSONField, Model
from django.test import Client
from django.urls import reverse

from accounts.admin.desk.account_actions import registered_actions
from accounts.models import Account, AccountEvent, User
from billing.models import Plan
from portal.operator_groups import GROUPS, set_up_groups

pytestmark = pytest.mark.django_db

BILLING_LISTS = {
    "accounts_account",
    "billing_coupon",
    "billing_creditnote",
    "billing_customer",
    "billing_invoice",
    "billing_invoicepdf",
    "billing_item",
    "billing_itemprice",
    "billing_paymentsource",
    "billing_plan",
    "billing_promotionalcredit",
    "billing_churnreport",
    "billing_subscription",
    "billing_transaction",
}
LISTS: dict[str, set[str]] = {
    "support": BILLING_LISTS
    | {
        "accounts_accountevent",
        "accounts_outgoingmail",
        "accounts_signinevent",
        "billing_cancellationfeedback",
        "billing_command",
        "billing_systemhealth",
        "billing_pauseschedule",
        "billing_refusedcode",
        "billing_churnevent",
        "billing_webhookevent",
    },
    "content": {
        "accounts_brand",
        "accounts_sitesettings",
        "accounts_streamingservice",
        "billing_cancelscreenoffer",
        "billing_item",
        "billing_itemprice",
        "billing_pauseoffercontent",
        "billing_plan",
        "billing_surveyquestion",
        "preferences_newsletter",
    },
    "finance": BILLING_LISTS | {"billing_bundlerate", "billing_revenuereport"},
}
ADDS: dict[str, set[str]] = {
    "support": set(),
    "content": {"billing_cancelscreenoffer", "billing_pauseoffercontent", "billing_plan", "preferences_newsletter"},
    "finance": set(),
}
EXPORTS: dict[str, set[str]] = {
    "support": set(),
    "content": set(),
    "finance": {
        "accounts_account",
        "billing_creditnote",
        "billing_invoice",
        "billing_transaction",
        "billing_churnreport",
        "billing_revenuereport",
    },
}
ALLOWED_ACTIONS: dict[str, set[str]] = {
    "support": {
        "cancel",
        "cancel-now",
        "change-period",
        "change-services",
        "collect",
        "correct-address",
        "free-month",
        "give-credit",
        "keep",
        "pause",
        "redeem-code",
        "refund",
        "remove-scheduled-pause",
        "resend-receipt",
        "resume",
        "resync",
        "see-screens",
        "sign-out-everywhere",
        "undo-change",
        "unsubscribe",
    },
    "content": set(),
    "finance": {"give-credit", "refund"},
}
# The buttons on the page of an account without subscriptions, for operators with permission. The free month is off.
ACCOUNT_ACTIONS = {
    "sign-out-everywhere",
    "see-screens",
    "resync",
    "unsubscribe",
    "erase",
    "redeem-code",
    "change-services",
}


def operator_client(group: str) -> Client:
    """Return a client signed in as an operator of a group."""
    user = User.objects.create_user(f"one-of-{group}", password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


def admin_urls() -> Iterator[tuple[str, str]]:
    """Yield every list, add form and export of the admin: the prefix of its URL name, and its purpose."""
    for model, shown in admin.site._registry.items():
        stem = f"{model._meta.app_label}_{model._meta.model_name}"
        names = {pattern.name for pattern in shown.get_urls()}
        for purpose in ("changelist", "add", "export"):
            if f"{stem}_{purpose}" in names:
                yield stem, purpose


@pytest.fixture
def ava() -> Account:
    return Account.objects.open_account(email="ava@example.com")


@pytest.mark.shows("security-40")
@pytest.mark.parametrize("group", GROUPS)
def test_a_group_can_open_only_its_own_lists(group: str, ava: Account) -> None:
    browser = operator_client(group)
    opened: dict[str, set[str]] = {"changelist": set(), "add": set(), "export": set()}
    for stem, purpose in admin_urls():
        answer = browser.get(reverse(f"admin:{stem}_{purpose}"), {"table": "weeks"} if purpose == "export" else {})
        # 404: allowed, but there is no such table.
        assert answer.status_code in (200, 302, 403, 404), (stem, purpose)
        if answer.status_code != 403:
            opened[purpose].add(stem)
    assert opened == {"changelist": LISTS[group], "add": ADDS[group], "export": EXPORTS[group]}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_cannot_open_rows_of_other_lists(group: str, ava: Account) -> None:
    browser = operator_client(group)
    for model, shown in admin.site._registry.items():
        stem = f"{model._meta.app_label}_{model._meta.model_name}"
        row = shown.get_queryset(browser.get("/admin/").wsgi_request).first()
        names = {pattern.name for pattern in shown.get_urls()}
        if stem in LISTS[group] or row is None or f"{stem}_change" not in names:
            continue
        for purpose in ("change", "delete", "history"):
            address = reverse(f"admin:{stem}_{purpose}", args=[row.pk])
            assert browser.get(address).status_code == 403, address
            assert browser.post(address, {"post": "yes"}).status_code == 403, address


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_no_delete_permissions(group: str, ava: Account) -> None:
    user = User.objects.create_user("deleting", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    assert [permission for permission in user.get_all_permissions() if ".delete_" in permission] == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_performs_only_its_own_actions(group: str, ava: Account) -> None:
    browser, allowed = operator_client(group), set()
    for action in registered_actions():
        address = reverse("admin:accounts_account_act", args=[ava.pk, action.name])
        answers = [browser.get(address, {"about": "none"}), browser.post(address, {"about": "none"})]
        statuses = {answer.status_code for answer in answers}
        assert 403 not in statuses or statuses == {403}, action.name
        if statuses != {403}:
            allowed.add(action.name)
    assert allowed == ALLOWED_ACTIONS[group]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_sees_only_the_account_actions_it_may_use(group: str, ava: Account) -> None:
    browser = operator_client(group)
    shown = browser.get(reverse("admin:accounts_account_change", args=[ava.pk])).content.decode()
    offered = {name for name in ACCOUNT_ACTIONS if f"/{name}/" in shown}
    assert offered == ALLOWED_ACTIONS[group] & ACCOUNT_ACTIONS
    assert not AccountEvent.objects.exists()


@pytest.mark.shows("security-40")
@pytest.mark.parametrize("group", GROUPS)
def test_no_group_can_open_challenges_limits_operators_or_the_log(group: str) -> None:
    browser = operator_client(group)
    for name in (
        "accounts_loginchallenge",
        "core_limitcounter",
        "accounts_user",
        "auth_group",
        "admin_logentry",
        "billing_refundlimit",
    ):
        assert browser.get(reverse(f"admin:{name}_changelist")).status_code == 403


@pytest.mark.shows("security-40")
def test_the_log_of_a_row_is_for_who_can_change_it_or_read_the_whole_log(ava: Account, admin_client: Client) -> None:
    account = reverse("admin:accounts_account_history", args=[ava.pk])
    support = operator_client("support")
    act = reverse("admin:accounts_account_act", args=[ava.pk, "sign-out-everywhere"])
    assert support.post(act, {"reason": "Her phone was stolen"}).status_code == 302
    assert "Her phone was stolen" in admin_client.get(account).content.decode()
    plan = Plan.objects.create(id="gospel", service="gospel", name="Gospel TV").pk
    history, page = (reverse(f"admin:billing_plan_{name}", args=[plan]) for name in ("history", "change"))
    for browser, may_read in (
        (support, False),
        (operator_client("finance"), False),
        (operator_client("content"), True),
    ):
        assert browser.get(account).status_code == 403
        assert browser.get(history).status_code == (200 if may_read else 403)
        assert (history in browser.get(page).content.decode()) is may_read


def test_a_subscriber_cannot_open_the_admin(ava: Account, client: Client) -> None:
    client.force_login(ava.user)
    assert client.get(reverse("admin:index")).status_code == 302


def test_setting_up_groups_restores_their_permissions(db: None) -> None:
    support = Group.objects.get(name="support")
    operator_client("support")
    before = set(support.permissions.all())
    support.permissions.set([])
    set_up_groups()
    assert set(support.permissions.all()) == before
    assert support.user_set.count() == 1


@pytest.mark.shows("security-40")
@pytest.mark.parametrize(
    ("table", "lookup"),
    [
        ("operators_authenticator", "key__startswith"),
        ("accounts_loginchallenge", "code_hash__startswith"),
        ("accounts_outgoingmail", "sent_as__text__contains"),
        ("accounts_account", "birth_day"),
        ("core_idempotentrequest", "body__plans__0"),
        ("billing_command", "steps__contains"),
        ("billing_customer", "payload__billing_address__zip__startswith"),
        ("axes_accessattempt", "post_data__contains"),
    ],
)
def test_no_list_can_be_filtered_by_what_no_page_shows(admin_client: Client, table: str, lookup: str) -> None:
    address = reverse(f"admin:{table}_changelist")
    assert admin_client.get(address).status_code == 200
    assert admin_client.get(address, {lookup: "1"}).status_code == 400


JSON_COLUMNS = [
    (model, field.name)
    for model in admin.site._registry
    for field in model._meta.concrete_fields
    if isinstance(field, JSONField)
]


@pytest.mark.parametrize(("model", "column"), JSON_COLUMNS, ids=lambda part: getattr(part, "__name__", part))
def test_no_list_can_be_filtered_by_json(admin_client: Client, model: type[Model], column: str) -> None:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    assert admin_client.get(address, {f"{column}__contains": "1"}).status_code == 400


def test_a_list_can_be_filtered_by_what_it_shows(admin_client: Client) -> None:
    address = reverse("admin:billing_command_changelist")
    account = Account.objects.create(user=User.objects.create(username="ava"), email="ava@example.com")
    for lookup, value in (("state", "succeeded"), ("kind__exact", "pause"), ("account__id__exact", account.pk)):
        assert admin_client.get(address, {lookup: value}).status_code == 200
