"""The hosts of payment services, and what each of them serves."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import path

from chargebee_sandbox.chargebee_js import challenges, pages
from chargebee_sandbox.payment_services import authentication, braintree, paypal, scripts

HOSTS = {
    "www.paypal.localhost": (
        path("sdk/js", scripts.serve_paypal_sdk),
        path("smart/buttons", paypal.serve_button),
        path("checkoutnow", paypal.serve_window),
        path("xoplatform/logger/api/logger", paypal.receive_log),
        path("assets/<str:name>", scripts.serve_frame_asset),
    ),
    "www.paypalobjects.localhost": (
        path("api/checkout.min.js", scripts.serve_express_checkout),
        path("images/<str:name>", scripts.serve_picture),
    ),
    "js.braintreegateway.localhost": (path("web/<str:version>/js/<str:name>.min.js", scripts.serve_braintree_module),),
    "api.braintreegateway.localhost": (
        path("merchants/<str:merchant>/client_api/v1/configuration", braintree.serve_configuration),
    ),
    "js.stripe.localhost": (path("v3/", scripts.serve_stripe),),
    "api.stripe.localhost": (path("v1/payment_intents/<str:attempt>", authentication.serve_attempt),),
    "hooks.stripe.localhost": (
        path("redirect/authenticate/<str:attempt>", challenges.opening_page),
        path("v2/frames/<str:name>", pages.serve_frame_asset),
    ),
    "songbird.cardinalcommerce.localhost": (path("edge/v1/songbird.js", scripts.serve_songbird),),
    "centinelapi.cardinalcommerce.localhost": (
        path("V1/Order/JWT/Init", authentication.serve_session),
        path("V2/Cruise/StepUp/<str:attempt>", challenges.opening_page),
        path("v2/frames/<str:name>", pages.serve_frame_asset),
    ),
}
"""The URL patterns of each host."""


class PaymentServiceHosts:
    """Middleware that serves each of these hosts its own URLs; on all other names they do not exist."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Select the URLs by the host's name."""
        name = request.get_host().partition(":")[0]
        if name in HOSTS:
            # Django takes a tuple of patterns as well as the name of a module.
            request.urlconf = HOSTS[name]  # type: ignore[assignment]
        return self._get_response(request)
