"""Every address of the portal; what is none of them is a page of the app."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView

from accounts.pictures import UPLOADED_PLACE
from portal import health, metrics, views

handler400 = "portal.views.bad_request"
handler403 = "portal.views.permission_denied"
handler404 = "portal.views.page_not_found"
handler500 = "portal.views.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", metrics.metrics),
    path("api/", include("accounts.api.urls")),
    path("api/", include("billing.api.urls")),
    path("api/", include("preferences.api.urls")),
    path("unsubscribe/", include("preferences.urls")),
    path("webhooks/", include("billing.webhooks.urls")),
    path("admin/", admin.site.urls),
    path("admin", RedirectView.as_view(url="/admin/")),
]

if not settings.PRODUCTION:
    # Which operations exist is nobody's business but ours in production.
    urlpatterns.append(path("api/schema/", SpectacularJSONAPIView.as_view(), name="schema"))

urlpatterns += [
    re_path(rf"^(?P<place>{UPLOADED_PLACE.pattern})$", views.picture),
    re_path(r"^(?:api|webhooks|static|admin|metrics)(?:/(?P<path>.*))?$", views.unknown),
    path("icon.svg", views.icon),
    path("favicon.ico", RedirectView.as_view(url="/static/portal/art/favicon.ico", permanent=True)),
    *(path(name, views.card_document) for name in views.CARD_DOCUMENTS),
    *(path(name, views.paypal_document) for name in views.PAYPAL_DOCUMENTS),
    re_path(r"^.*$", views.shell),
]
