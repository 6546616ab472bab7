"""A payer without a browser: sends the requests of the card fields, and decides on PayPal's and the issuer's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from conftest import NO_AUTHORITIES

PAYPAL_HOST = "www.paypal.localhost"
GOOD_CARD = "4111111111111111"
FRICTIONLESS_CARD, ISSUER_REFUSES_CARD, CHALLENGE_CARD = "4000000000002701", "4000000000002925", "4000000000002503"
ALWAYS_AUTHENTICATED_CARD = "4000002760003184"
SITE = {"site": "portal-test", "key": "test_sandbox_publishable_key"}


@dataclass
class Payer:
    """A payer at the sandbox with the origin ``url``."""

    url: str

    def send_card(self, path: str, number: str = GOOD_CARD, **card: str) -> httpx.Response:
        """Send a card as the card fields do and return the response."""
        details = {"firstName": "Ava", "lastName": "Thompson", "stateCode": "TN", "zip": "37203"}
        full_card = {"number": number, "cvv": "123", "expiry_month": "8", "expiry_year": "2034", **card}
        return self._request("POST", path, json={**SITE, "card": full_card, "details": details})

    def create_token(self, number: str = GOOD_CARD, **card: str) -> str:
        """Exchange a card for a token and return the token's id."""
        answer = self.send_card("tokens", number, **card)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["token"]["id"])

    def begin_card(self, intent: str, number: str = GOOD_CARD, **card: str) -> dict[str, Any]:
        """Begin to authorize an intent with a card and return the intent."""
        return self._read_intent(self.send_card(f"payment_intents/{intent}/card", number, **card))

    def begin_stored_card(self, intent: str) -> dict[str, Any]:
        """Begin to authorize an intent with the stored card for which it was created and return the intent."""
        return self._read_intent(self._request("POST", f"payment_intents/{intent}/stored-card", json=SITE))

    def authorize_stored_card(self, intent: str) -> bool:
        """Authorize an intent with its stored card, pass the challenge if there is one; return False if declined."""
        begun = self.begin_stored_card(intent)
        if begun["active_payment_attempt"]["status"] != "requires_challenge":
            return bool(begun["status"] == "authorized")
        self.decide_challenge(begun)
        return True

    def decide_challenge(self, intent: dict[str, Any], decision: str = "pass") -> None:
        """Send a decision (pass, fail, cancel, or expire) on the page of the card's issuer."""
        attempt = intent["active_payment_attempt"]["id"]
        opener = {"opener": self.url.removeprefix("http://")}
        self._request("POST", f"issuer/{attempt}", params=opener, data={"decision": decision})

    def authorize_card(self, intent: str, number: str = GOOD_CARD, **card: str) -> str:
        """Authorize an intent with a card, pass the challenge if there is one, and return the intent's id."""
        begun = self.begin_card(intent, number, **card)
        if begun["active_payment_attempt"]["status"] == "requires_challenge":
            self.decide_challenge(begun)
        return intent

    def _read_intent(self, answer: httpx.Response) -> dict[str, Any]:
        assert answer.status_code == 200, answer.text
        intent: dict[str, Any] = answer.json()["payment_intent"]
        return intent

    def begin_paypal(self, intent: str) -> str:
        """Begin an attempt as PayPal's button does and return the attempt's id."""
        answer = self._request("POST", f"payment_intents/{intent}/paypal/attempts", json=SITE)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["attempt"])

    def decide_paypal(self, attempt: str, decision: str) -> str:
        """Send a decision (agree, cancel, or fail) in PayPal's window and return the attempt's outcome."""
        sandbox = urlsplit(self.url)
        httpx.post(
            f"{self.url}/checkoutnow",
            headers={"Host": f"{PAYPAL_HOST}:{sandbox.port}"},
            params={"token": attempt},
            data={"decision": decision, "email": "ava@paypal.example"},
            verify=NO_AUTHORITIES,
        )
        return str(self._request("POST", f"paypal_attempts/{attempt}/finish", json=SITE).json()["outcome"])

    def _request(self, method: str, path: str, **content: Any) -> httpx.Response:
        return httpx.request(method, f"{self.url}/v2/{path}", verify=NO_AUTHORITIES, **content)
