"""Every address of the portal; what is none of them is a page of the app."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView

from portal import health, views

admin.site.site_header = "Subscription portal"
admin.site.site_title = "Subscription portal"
admin.site.index_title = "Operations"
admin.site.site_url = None  # an operator is not a subscriber

handler400 = "portal.views.bad_request"
handler403 = "portal.views.permission_denied"
handler404 = "portal.views.page_not_found"
handler500 = "portal.views.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/", include("accounts.api.urls")),
    path("api/", include("billing.api.urls")),
    path("webhooks/", include("billing.webhooks.urls")),
]

if settings.ADMIN_SERVED:
    urlpatterns += [path("admin/", admin.site.urls), path("admin", RedirectView.as_view(url="/admin/"))]

if not settings.PRODUCTION:
    # Which operations exist is nobody's business but ours in production.
    urlpatterns.append(path("api/schema/", SpectacularJSONAPIView.as_view(), name="schema"))

urlpatterns += [
    re_path(r"^(?:api|webhooks|static|admin)(?:/(?P<path>.*))?$", views.unknown),
    path("favicon.ico", RedirectView.as_view(url="/static/portal/art/favicon.ico", permanent=True)),
    re_path(r"^.*$", views.shell),
]
