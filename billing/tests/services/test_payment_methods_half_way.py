"""Changes of payment methods that were done in part and are asked for anew: the card that was meant, and once."""

from __future__ import annotations

import pytest

from billing.errors import BillingPartial, PaymentMethodInvalid
from billing.services import reconcile, sync
from billing.tests.live import FAITH, VISA, Provider
from billing.tests.purse import AMEX, JCB, MASTERCARD, Purse
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ava(provider: Provider) -> Purse:
    """Ava, with a plan, a Visa that pays for it and a Mastercard besides."""
    purse = Purse(provider, provider.subscriber("ava", FAITH))
    purse.add(purse.token(MASTERCARD))
    return purse


@pytest.mark.parametrize("role", ["primary", "backup", None])
def test_an_update_done_in_part_and_repeated_with_a_new_token_leaves_one_new_card(
    ava: Purse, sandbox: Sandbox, role: str | None
) -> None:
    old = str(ava.role()) if role == "primary" else ava.other()
    if role == "backup":
        ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": old, "role": role})
        sync.resync_account(ava.account)
    sandbox.refuse("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace(old, ava.token(AMEX))
    kept = set(ava.held()) - {old}
    assert len(kept) == 2

    outcome = ava.replace(old, ava.token(JCB))

    assert sorted(ava.shown()) == sorted(ava.held())
    assert ava.digits() == sorted(["0000", "4444" if role == "primary" else "1111"])
    assert {name: ava.role(name) == outcome.source_id for name in ("primary", "backup")} == {
        name: name == role for name in ("primary", "backup")
    }
    assert list(reconcile.differences()) == []


def test_however_often_an_update_got_half_way_only_its_last_card_stays(ava: Purse, sandbox: Sandbox) -> None:
    old, spent = str(ava.role()), ava.token(VISA)
    ava.remove(ava.add(spent).source_id or "")
    for number, removed in ((AMEX, 0), (VISA, 0), (AMEX, 1)):
        sandbox.refuse("/payment_sources/*/delete", after=removed)
        with pytest.raises(BillingPartial):
            ava.replace(old, ava.token(number))
    # What came to nothing, and what concerned something else, make no card of those before a chosen one.
    with pytest.raises(PaymentMethodInvalid):
        ava.replace(old, spent)
    ava.remove(ava.add(ava.token(VISA)).source_id or "")
    assert ava.digits() == ["0005", "1111", "1111", "4444"]
    assert old in ava.shown()

    outcome = ava.replace(old, ava.token(JCB))

    assert ava.digits() == ["0000", "4444"]
    assert ava.role() == outcome.source_id
    assert sorted(ava.shown()) == sorted(ava.held())


def test_a_card_that_came_half_way_and_was_then_chosen_stays(ava: Purse, sandbox: Sandbox) -> None:
    old = ava.other()
    sandbox.refuse("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace(old, ava.token(AMEX))
    [brought] = set(ava.held()) - {old, ava.role()}
    ava.make_default(brought)

    ava.replace(old, ava.token(JCB))

    assert ava.digits() == ["0000", "0005", "1111"]
    assert ava.role() == brought
