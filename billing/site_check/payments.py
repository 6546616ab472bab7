"""Checks of gateways, payment types and dunning, as far as the newest records show them: no operation lists them."""

from collections import Counter
from collections.abc import Iterator

from django.conf import settings

from billing.gateway.payment_methods import PAYPAL
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader

TOPIC = Topic("Payments")
GATEWAYS = f"{SETTINGS} > Payment Gateways"
DUNNING_PLACE = f"{SETTINGS} > Dunning"
CHECKOUT = f"{SETTINGS} > Checkout & Self-Serve Portal, at allowed domains"
CARD = "card"
# The gateways whose cards can be edited at the provider; elsewhere a card can only be replaced.
EDITING_GATEWAYS = ("chargebee", "stripe", "braintree", "authorize_net", "worldpay")
# The gateways that authenticate payers with scripts of their own (docs/scripts.md).
SCRIPT_GATEWAYS = {"stripe", "braintree"}
NOT_PAID = "not_paid"


def check_payments(site: SiteReader) -> Iterator[Finding]:
    """Report gateways, payment types and dunning."""
    yield from _check_gateways(site)
    yield TOPIC.unreadable_finding(
        f"Chargebee.js works on {', '.join(settings.ALLOWED_HOSTS) or 'the hosts of the portal'}", place=CHECKOUT
    )
    yield _check_dunning(site)
    yield _check_dunning_end(site)
    yield TOPIC.unreadable_finding(
        "a change whose charge fails is refused, not left unpaid",
        place=f"{SETTINGS} > Billing LogIQ, at payment failures",
    )


def _check_gateways(site: SiteReader) -> Iterator[Finding]:
    gateways = Counter(str(source.get("gateway")) for source in site.payment_sources)
    types = Counter(str(source.get("type")) for source in site.payment_sources)
    card_gateways = {str(source.get("gateway")) for source in site.payment_sources if source.get("type") == CARD}
    needed = "a gateway for cards"
    if not card_gateways:
        yield TOPIC.unreadable_finding(needed, place=GATEWAYS, found="no card at the site yet")
    else:
        yield TOPIC.ok_finding(needed, ", ".join(f"{count} with {name}" for name, count in gateways.most_common()))
    if fixed := sorted(card_gateways.difference(EDITING_GATEWAYS)):
        yield TOPIC.open_finding(
            "cards can be edited",
            f"not those of {', '.join(fixed)}",
            "Nothing, if subscribers may replace a card rather than edit it.",
        )
    yield _check_gateway_scripts(card_gateways & SCRIPT_GATEWAYS)
    paypal = "PayPal, with agreements that can be charged later"
    if types[PAYPAL]:
        yield TOPIC.ok_finding(paypal, f"{types[PAYPAL]} of the newest payment sources")
    else:
        yield TOPIC.unreadable_finding(paypal, place=f"{GATEWAYS} > PayPal", found="no PayPal account at the site yet")


def _check_gateway_scripts(used: set[str]) -> Finding:
    """Compare the gateways of the newest cards with those whose scripts the card screens allow."""
    needed = "CHARGEBEE_CARD_GATEWAYS names the gateways that ask payers with scripts of their own"
    allowed = settings.CHARGEBEE_CARD_GATEWAYS
    if missing := sorted(used.difference(allowed)):
        todo = f"Set CHARGEBEE_CARD_GATEWAYS={','.join(sorted(used.union(allowed)))}: without it, 3-D Secure fails."
        return TOPIC.wrong_finding(needed, f"cards with {', '.join(missing)}, which it does not name", todo)
    return TOPIC.ok_finding(needed, f"it names {', '.join(allowed) or 'none'}, as the newest cards need")


def _check_dunning(site: SiteReader) -> Finding:
    statuses = Counter(str(invoice["dunning_status"]) for invoice in site.invoices if invoice.get("dunning_status"))
    needed = "dunning on, with retries over days"
    if not statuses:
        return TOPIC.unreadable_finding(needed, place=DUNNING_PLACE, found="no unpaid invoice among the newest")
    return TOPIC.ok_finding(needed, ", ".join(f"{count} {status}" for status, count in statuses.most_common()))


def _check_dunning_end(site: SiteReader) -> Finding:
    needed = "known what dunning ends with; the portal shows either"
    ended = [row for row in site.subscriptions if row.get("cancel_reason") == NOT_PAID]
    unpaid = [invoice for invoice in site.invoices if invoice.get("status") == NOT_PAID]
    if ended:
        return TOPIC.ok_finding(needed, f"it cancels: {len(ended)} of the newest subscriptions")
    if unpaid:
        return TOPIC.ok_finding(needed, f"it keeps the subscription: {len(unpaid)} unpaid invoices")
    return TOPIC.unreadable_finding(needed, place=DUNNING_PLACE)
