"""The portal's URLs. Any other path is a page of the app."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView

from accounts.brands.pictures import UPLOADED_PATH
from accounts.views import sign_in_link_page
from portal import public_files, views
from portal.monitoring import health, metrics

handler400 = "portal.views.bad_request"
handler403 = "portal.views.permission_denied"
handler404 = "portal.views.page_not_found"
handler500 = "portal.views.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.liveness_probe),
    path("readyz", health.readiness_probe),
    path("metrics", metrics.metrics_page),
    path("robots.txt", public_files.robots_file),
    path(".well-known/security.txt", public_files.security_contact_file),
    path(settings.POLICY_REPORT_PATH.removeprefix("/"), public_files.policy_report),
    path("api/", include("accounts.api.urls")),
    path("api/", include("billing.api.urls")),
    path("api/", include("preferences.api.urls")),
    path("unsubscribe/", include("preferences.urls")),
    path("sign-in-link/<str:token>", sign_in_link_page),
    path("webhooks/", include("billing.webhooks.urls")),
    path("admin/", admin.site.urls),
    path("admin", RedirectView.as_view(url="/admin/")),
]

if not settings.PRODUCTION:
    # Production does not publish the list of endpoints.
    urlpatterns.append(path("api/schema/", SpectacularJSONAPIView.as_view(), name="schema"))

urlpatterns += [
    re_path(rf"^(?P<place>{UPLOADED_PATH.pattern})$", views.uploaded_picture),
    re_path(r"^(?:api|webhooks|static|admin|metrics)(?:/(?P<path>.*))?$", views.unknown_path),
    path("icon.svg", views.brand_icon),
    path("brand.css", views.brand_styles, name="brand-styles"),
    path("favicon.ico", RedirectView.as_view(url="/static/portal/art/favicon.ico", permanent=True)),
    *(path(name, views.card_document) for name in views.CARD_DOCUMENTS),
    *(path(name, views.paypal_document) for name in views.PAYPAL_DOCUMENTS),
    re_path(r"^.*$", views.app_page),
]
