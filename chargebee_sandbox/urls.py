"""URLs of the sandbox: the API, what a browser loads, faults, the site's settings, and the console everywhere else."""

from django.urls import URLPattern, URLResolver, include, path

from chargebee_sandbox import operations  # noqa: F401  (registers them)
from chargebee_sandbox.api.views import handle_api_request, handle_faults, handle_site_settings, list_strikes
from chargebee_sandbox.operations.invoicing.downloads import serve_pdf

handler404 = "chargebee_sandbox.console.views.page_not_found"
urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v2/<path:path>", handle_api_request),
    path("v2/", include("chargebee_sandbox.chargebee_js.urls")),
    path("downloads/<str:kind>/<str:handle>/<str:disposition>/<int:valid_till>.pdf", serve_pdf),
    path("faults", handle_faults),
    path("faults/struck", list_strikes),
    path("site_settings", handle_site_settings),
    path("", include("chargebee_sandbox.console.urls")),
]
