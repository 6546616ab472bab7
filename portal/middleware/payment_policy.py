"""What the card and PayPal documents may load beyond every page: the provider's script, and what that script adds.

The provider's script adds scripts, styles and frames of PayPal, or of the gateway that authenticates a card's payer, to
the page that embeds it. Sources: Chargebee's "Content security policy for the Checkout page"; PayPal's "Best practices"
of its JavaScript SDK; Braintree's "Using braintree-web with a Content Security Policy", for 3-D Secure with Cardinal's
domains, of which cardinaltrusted.com is new; Stripe's "Integration security guide".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import wraps
from urllib.parse import urlsplit

from csp.constants import NONCE
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_permissions_policy import PermissionsPolicyMiddleware

from portal.env import CardGateway, PayPalGateway
from portal.middleware.csp import PageView, policy_without_trusted_types, script_origin

PAYPAL = ("*.paypal.com", "*.paypalobjects.com")
BRAINTREE = ("*.braintreegateway.com",)
BRAINTREE_API = "*.braintree-api.com"
# What a bank's page may use to recognize the payer: Secure Payment Confirmation and WebAuthn.
BANK_FEATURES = ("payment", "publickey-credentials-get")
# PayPal documents the same domains for all of these. Its domains for Venmo stay out: the portal offers PayPal alone.
PAYPAL_DIRECTIVES = ("script-src", "style-src", "img-src", "connect-src", "frame-src")
PAYPAL_DOMAINS: Mapping[PayPalGateway, Mapping[str, tuple[str, ...]]] = {
    "none": {},
    "paypal_commerce": dict.fromkeys(PAYPAL_DIRECTIVES, PAYPAL),
    # Braintree's button is PayPal's, loaded by a script of Braintree.
    "braintree": {
        "script-src": (*PAYPAL, *BRAINTREE),
        "style-src": PAYPAL,
        "img-src": (*PAYPAL, *BRAINTREE),
        "connect-src": (*PAYPAL, *BRAINTREE, BRAINTREE_API),
        "frame-src": (*PAYPAL, *BRAINTREE),
    },
}
"""The hosts that a document with PayPal's button needs, by how the site takes PayPal and by directive."""

CARD_DOMAINS: Mapping[CardGateway, Mapping[str, tuple[str, ...]]] = {
    "stripe": {
        "script-src": ("js.stripe.com", "*.js.stripe.com"),
        "connect-src": ("api.stripe.com",),
    },
    "braintree": {
        "script-src": (
            *BRAINTREE,
            *("songbird.cardinalcommerce.com", "songbirdstag.cardinalcommerce.com", "*.cardinaltrusted.com"),
        ),
        "connect-src": (*BRAINTREE, BRAINTREE_API, "*.cardinalcommerce.com", "*.cardinaltrusted.com"),
    },
}
"""The hosts that 3-D Secure needs on a card document, by gateway and directive. Frames may have any (_card_policy)."""


def provider_origin() -> str:
    """Return the origin of the provider's script."""
    return script_origin(settings.CHARGEBEE_JS_URL)


def site_origin() -> str:
    """Return the origin of the site's own pages, which may be in frames; the sandbox has one origin for everything."""
    if urlsplit(settings.CHARGEBEE_JS_URL).scheme == "https":
        return f"https://{settings.CHARGEBEE_SITE}.chargebee.com"
    return provider_origin()


def _service_source(host: str) -> str:
    """Return the source for a host, or for the hosts of a pattern.

    Without https the provider is the sandbox on this machine, which serves paypal.com as paypal.localhost, at its port.
    """
    provider = urlsplit(settings.CHARGEBEE_JS_URL)
    if provider.scheme == "https":
        return f"https://{host}"
    name = host.removesuffix(".com")
    return f"http://{name}.localhost" + (f":{provider.port}" if provider.port else "")


def _service_sources(directive: str) -> Iterator[str]:
    """Return what a directive of a document with PayPal's button allows for it."""
    domains = PAYPAL_DOMAINS[settings.CHARGEBEE_PAYPAL_GATEWAY].get(directive, ())
    yield from map(_service_source, domains)
    if directive == "img-src" and domains:
        yield "data:"


def document_policy(*, with_paypal: bool) -> dict[str, list[object]]:
    """Return the strict policy without Trusted Types, with the provider's sources and, if asked, those of PayPal.

    The nonce is for what the provider's script adds to the page itself.
    """
    policy: dict[str, list[object]] = {name: [*sources] for name, sources in policy_without_trusted_types().items()}
    policy["script-src"] += [provider_origin(), NONCE]
    policy["style-src"] += [NONCE]
    policy["frame-src"] = [*dict.fromkeys((provider_origin(), site_origin()))]
    if with_paypal:
        for directive in PAYPAL_DIRECTIVES:
            policy[directive] += _service_sources(directive)
    return policy


def _card_policy() -> dict[str, list[object]]:
    """Return the policy of the card document: 3-D Secure runs scripts of the gateway and embeds the page of a bank.

    Each bank has an origin of its own, and no list of them exists: a frame may have any origin with the scheme of the
    provider's script, https, or http for the sandbox. Such a frame cannot read the page.
    """
    policy = document_policy(with_paypal=False)
    for gateway in settings.CHARGEBEE_CARD_GATEWAYS:
        for directive, hosts in CARD_DOMAINS[gateway].items():
            policy[directive] += map(_service_source, hosts)
    policy["frame-src"].append(f"{urlsplit(settings.CHARGEBEE_JS_URL).scheme}:")
    return policy


def _permissions(features: Mapping[str, list[str]]) -> str:
    """Return the Permissions-Policy that opens features to origins; everything else stays denied."""
    return PermissionsPolicyMiddleware.compute_header_value(
        {**settings.PERMISSIONS_POLICY, **features}, name="PERMISSIONS_POLICY"
    )


def allow_card_fields(page: PageView) -> PageView:
    """Allow a page the provider's card fields and the page of the card's bank. An error page stays strict."""

    @wraps(page)
    def page_with_card_fields(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if response.status_code == 200:
            # Set directly, because the decorators of django-csp and django-permissions-policy are fixed at import.
            response._csp_config = _card_policy()  # type: ignore[attr-defined]
            permissions = _permissions({feature: ["*"] for feature in BANK_FEATURES})
            response._permissions_policy_override = permissions  # type: ignore[attr-defined]
        return response

    return page_with_card_fields


def allow_paypal(page: PageView) -> PageView:
    """Allow a page the provider, PayPal's scripts and frames, and PayPal's window. An error page stays isolated."""

    @wraps(page)
    def page_with_paypal(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if response.status_code == 200:
            response._csp_config = document_policy(with_paypal=True)  # type: ignore[attr-defined]
            frames = [provider_origin(), *_service_sources("frame-src")]
            response._permissions_policy_override = _permissions({"payment": ["self", *frames]})  # type: ignore[attr-defined]
            response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
        return response

    return page_with_paypal
