"""The test gateway: the documented cards and what it answers about them. Card numbers pass through and are gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from billing.sandbox.engine import card_numbers

ACCOUNT_ID = "gw_sandbox"

APPROVED = ""
_TEXTS = {
    "3001": "Insufficient funds",
    "3003": "Activity limit exceeded",
    "3005": "Invalid card number",
    "3009": "Do not honour",
}

_TEST_CARDS = {
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "38520000023237",
    "3530111333300000",
    "4119862760338320",
    "4005519200000004",
}
_REFUSED_WHEN_ADDED = {"4119862760338320": "3009"}
_REFUSED_WHEN_CHARGED = {"4005519200000004": "3001"}

_declining: ContextVar[bool] = ContextVar("declining", default=False)


class CardRefused(Exception):
    """The gateway does not take this card."""


@dataclass(frozen=True)
class VaultedCard:
    """What is left of a card number once the gateway has it.

    ``refusal`` is its answer to a charge, ``verification`` its answer to the card being added; empty approves.
    """

    brand: str
    iin: str
    last4: str
    masked_number: str
    refusal: str
    verification: str


def examine(number: str) -> VaultedCard:
    """Take a card number and give back what may be kept of it, with what the gateway thinks of the card."""
    brand = card_numbers.brand_of(number)
    unknown = APPROVED if number in _TEST_CARDS else "3005"
    return VaultedCard(
        brand=brand.name if brand else "other",
        iin=number[:6],
        last4=number[-4:],
        masked_number="*" * (len(number) - 4) + number[-4:],
        refusal=_REFUSED_WHEN_CHARGED.get(number, APPROVED),
        verification=_REFUSED_WHEN_ADDED.get(number, unknown),
    )


def verify(verification: str) -> None:
    """Let a card be added. Raises: CardRefused with the gateway's words where it does not take the card."""
    if verification:
        raise CardRefused(reason(verification))


def vault(number: str) -> VaultedCard:
    """Take a card number, add the card, and give back what may be kept of it.

    Raises: CardRefused with the gateway's words, also for a number that is not one of its test cards.
    """
    card = examine(number)
    verify(card.verification)
    return card


@contextmanager
def declining() -> Iterator[None]:
    """Refuse every charge inside the block, whatever the card."""
    token = _declining.set(True)
    try:
        yield
    finally:
        _declining.reset(token)


def answer(refusal: str) -> str:
    """What it says to a charge of a source whose own answer is ``refusal``; empty approves."""
    return refusal or ("3001" if _declining.get() else APPROVED)


def text(code: str) -> str:
    """The gateway's words for a refusal."""
    return _TEXTS[code]


def reason(code: str) -> str:
    """The refusal as it stands in error messages."""
    return f"({code}) {text(code)}"
