"""A payer without a browser, who sends the requests of the card fields and of PayPal's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from conftest import NO_AUTHORITIES

GOOD_CARD = "4111111111111111"
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

    def begin_paypal(self, intent: str) -> str:
        """Begin an attempt as PayPal's button does and return the attempt's id."""
        answer = self._request("POST", f"payment_intents/{intent}/paypal", json=SITE)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["attempt"])

    def decide_paypal(self, attempt: str, decision: str) -> str:
        """Send a decision (agree, cancel, or fail) on PayPal's page and return the attempt's outcome."""
        page = f"paypal/{attempt}"
        self._request("POST", page, data={"decision": decision, "email": "ava@paypal.example"})
        return str(self._request("GET", f"{page}/outcome").json()["outcome"])

    def _request(self, method: str, path: str, **content: Any) -> httpx.Response:
        return httpx.request(method, f"{self.url}/v2/{path}", verify=NO_AUTHORITIES, **content)
