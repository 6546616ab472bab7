"""Previews of every mail in every brand."""

import ast
import inspect
import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.admin.mail_previews import DARK_MEDIA_QUERY, force_color_scheme
from accounts.mail import samples
from accounts.models import Brand, OutgoingMail, User
from billing.admin import mail_samples
from billing.receipts import delivery, texts

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:accounts_outgoingmail_previews")
NAMES = [sample.name for sample in samples.registered_samples()]


@pytest.fixture
def brands():
    call_command("seed_site", verbosity=0)
    return list(Brand.objects.all())


@pytest.fixture
def operator(client, brands):
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


def mail_text_functions():
    """Return the names of the functions that compose a mail."""
    return {
        name
        for module in _text_modules()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and inspect.signature(function).return_annotation is delivery.Receipt
    }


def sampled_functions():
    """Return the names of the functions that the samples call."""
    calls = ast.walk(ast.parse(inspect.getsource(mail_samples)))
    return {call.func.attr for call in calls if isinstance(call, ast.Call) and hasattr(call.func, "attr")}


def _text_modules():
    return [import_module(f"{texts.__name__}.{module.name}") for module in iter_modules(texts.__path__)]


def test_every_mail_has_a_sample():
    assert len(mail_text_functions()) > 15
    assert mail_text_functions() <= sampled_functions()
    assert {"sign-in-code", "new-sign-in"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_mail_is_previewed_in_every_brand_and_color_scheme(operator, brands, name):
    for brand in brands:
        page = operator.get(PAGE, {"mail": name, "brand": brand.code})
        text = page.context["message"].body
        assert f"\n--\n{brand.name}\n" in text
        assert "None" not in text
        assert "{" not in text
        for url in {frame["address"] for frame in page.context["frames"]}:
            preview = operator.get(url)
            assert brand.colours["light"]["primary"] in preview.text
            assert brand.colours["dark"]["primary"] in preview.text
            assert DARK_MEDIA_QUERY not in preview.text


@pytest.mark.parametrize(
    ("name", "amounts"),
    [
        ("kept", ["$6.99"]),
        ("code-redeemed", ["$5.59"]),
        ("free-month-claimed", ["$6.99", "$0.00"]),
        ("resumed", ["$6.99", "$6.99"]),
        ("services-changed", ["$7.99", "$14.98"]),
        ("periods-switched", ["$79.99", "$79.99"]),
        ("periods-switched-later", ["$79.99"]),
        ("resumes", ["$6.99", "$7.99", "$6.99", "$7.99"]),
        ("trial-ends", ["$8.99", "$8.99"]),
        ("renews", ["$69.99", "$69.99"]),
    ],
)
def test_the_amounts_of_the_samples_agree_with_the_prices_and_the_discounts(operator, name, amounts):
    text = operator.get(PAGE, {"mail": name}).context["message"].body
    assert re.findall(r"\$\d+\.\d\d", text) == amounts


@pytest.mark.parametrize("name", NAMES)
def test_a_mail_loads_no_external_resources(operator, brands, name):
    frame = operator.get(PAGE, {"mail": name}).context["frames"][0]["address"]
    assert not re.search(r"<img(?! src=\"data:)|<script|<link|url\(|@import|@font-face", operator.get(frame).text)


def test_a_previewed_mail_is_sandboxed(operator):
    frame = operator.get(PAGE).context["frames"][0]["address"]
    response = operator.get(frame)
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert response["Content-Security-Policy"].endswith("sandbox")
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-src 'self'" in operator.get(PAGE)["Content-Security-Policy"]


def test_the_color_scheme_can_be_forced():
    mail = f'<head><meta content="light dark">{DARK_MEDIA_QUERY} {{}}'
    assert "@media all" in force_color_scheme("dark", mail)
    assert "@media not all" in force_color_scheme("light", mail)


def test_an_unknown_preview_is_not_found(operator, brands):
    pk = brands[0].pk
    assert operator.get(PAGE, {"mail": "no-such-mail"}).status_code == 404
    for args in (["no-such-mail", pk, "dark"], ["resumed", 4711, "dark"], ["resumed", pk, "dim"]):
        assert operator.get(reverse("admin:accounts_outgoingmail_previewed", args=args)).status_code == 404


def test_previews_require_the_outbox_permission_and_store_nothing(client, operator, brands):
    assert "/previews/" in operator.get(reverse("admin:accounts_outgoingmail_changelist")).text
    assert not OutgoingMail.objects.exists()
    client.force_login(User.objects.create_user("sam", password="correct horse battery", is_staff=True))
    frame = reverse("admin:accounts_outgoingmail_previewed", args=["resumed", brands[0].pk, "dark"])
    assert [client.get(url).status_code for url in (PAGE, frame)] == [403, 403]
