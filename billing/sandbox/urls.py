"""Addresses of the sandbox: the API, the faults that can be ordered for it, and the console everywhere else."""

from django.urls import URLPattern, URLResolver, include, path

from billing.sandbox import operations  # noqa: F401  (fills the API's route table)
from billing.sandbox.wire.view import api, order_faults, struck

handler404 = "billing.sandbox.console.pages.lost"
urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v2/<path:path>", api),
    path("v2/", include("billing.sandbox.browser.urls")),
    path("faults", order_faults),
    path("faults/struck", struck),
    path("", include("billing.sandbox.console.urls")),
]
