"""A payer without a browser: sends what the card fields and PayPal's page send."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

GOOD = "4111111111111111"
SITE = {"site": "portal-test", "key": "test_sandbox_publishable_key"}


@dataclass
class Payer:
    """Somebody at a sandbox, whose origin is ``url``."""

    url: str

    def sends_card(self, path: str, number: str = GOOD, **card: str) -> httpx.Response:
        """What the card fields send, whatever its outcome."""
        details = {"firstName": "Ava", "lastName": "Thompson", "stateCode": "TN", "zip": "37203"}
        whole = {"number": number, "cvv": "123", "expiry_month": "8", "expiry_year": "2034", **card}
        return httpx.post(f"{self.url}/v2/{path}", json={**SITE, "card": whole, "details": details})

    def token(self, number: str = GOOD, **card: str) -> str:
        """A card's token."""
        answer = self.sends_card("tokens", number, **card)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["token"]["id"])

    def begins_paypal(self, intent: str) -> str:
        """Press PayPal's button; returns the attempt."""
        answer = httpx.post(f"{self.url}/v2/payment_intents/{intent}/paypal", json=SITE)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["attempt"])

    def decides(self, attempt: str, decision: str) -> str:
        """Answer on PayPal's page; returns how the attempt stands then."""
        page = f"{self.url}/v2/paypal/{attempt}"
        httpx.post(page, data={"decision": decision, "email": "ava@paypal.example"})
        return str(httpx.get(f"{page}/outcome").json()["outcome"])
