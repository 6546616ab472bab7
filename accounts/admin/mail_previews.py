"""Previews of every mail in every brand: in the light and the dark scheme, wide and narrow, and as text."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from csp.constants import SELF
from csp.decorators import csp_update
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.admin.lists.read_only import AnyModelAdmin
from accounts.brands import site
from accounts.brands.mail_logo import find_mail_logo
from accounts.mail import rendering, samples
from accounts.mail.samples import MailSample
from accounts.models import Brand, OutgoingMail

COLOR_SCHEMES = ("light", "dark")
SAMPLE_FIRST_NAME = "Ava"
DARK_MEDIA_QUERY = "@media (prefers-color-scheme: dark)"
# A mail has inline styles and its brand's logo, and needs nothing else.
MAIL_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox"
)


class MailPreviews(AnyModelAdmin):
    """Adds the previews to the admin of the outbox."""

    def get_urls(self) -> list[URLPattern]:
        """Add the URLs of the preview page and of the mails in its frames."""
        site = self.admin_site
        own = [
            path("previews/", site.admin_view(self.previews_view), name="accounts_outgoingmail_previews"),
            path(
                "previews/<slug:name>/<int:brand>/<slug:scheme>/",
                xframe_options_sameorigin(site.admin_view(self.preview_frame_view)),
                name="accounts_outgoingmail_previewed",
            ),
        ]
        return own + super().get_urls()

    @method_decorator(csp_update({"frame-src": [SELF]}))
    def previews_view(self, request: HttpRequest) -> HttpResponse:
        """Show one mail of one brand, with links to all others. Raises PermissionDenied and Http404."""
        self._require_view_permission(request)
        brands = list(Brand.objects.all())
        sample = _find_sample(request.GET.get("mail") or samples.registered_samples()[0].name)
        brand = next((brand for brand in brands if brand.code == request.GET.get("brand")), None)
        brand = brand or next((brand for brand in brands if brand.is_default), None)
        context = {
            **self.admin_site.each_context(request),
            "title": "Email previews",
            "opts": self.opts,
            "mails": [
                (other.title, _preview_link(other, brand), other == sample) for other in samples.registered_samples()
            ],
            "brands": [(str(other), _preview_link(sample, other), other == brand) for other in brands],
            "frames": _preview_frames(sample, brand),
            "message": _sample_message(sample, brand),
        }
        return TemplateResponse(request, "admin/accounts/outgoingmail/previews.html", context)

    def preview_frame_view(self, request: HttpRequest, name: str, brand: int, scheme: str) -> HttpResponse:
        """Return a mail's HTML in this color scheme; brand 0 means none. Raises PermissionDenied and Http404."""
        self._require_view_permission(request)
        mail_brand = Brand.objects.filter(pk=brand).first()
        if scheme not in COLOR_SCHEMES or (mail_brand is None and brand != 0):
            raise Http404
        message = _sample_message(_find_sample(name), mail_brand)
        html = _show_logo(mail_brand, force_color_scheme(scheme, str(message.alternatives[0].content)))
        return HttpResponse(html, headers={"Content-Security-Policy": MAIL_POLICY})

    def _require_view_permission(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied


def force_color_scheme(scheme: str, html: str) -> str:
    """Return a mail's HTML with its dark-mode rules always or never in force."""
    html = html.replace(DARK_MEDIA_QUERY, "@media all" if scheme == "dark" else "@media not all")
    # Links do nothing in the preview, because the sandboxed frame may not open a window.
    html = html.replace("<head>", '<head><base target="_blank">', 1)
    return html.replace('content="light dark"', f'content="{scheme}"')


def _show_logo(brand: Brand | None, html: str) -> str:
    """Return a mail's HTML with the logo that a mail program finds in the mail."""
    logo = find_mail_logo(brand or site.default_brand())
    return html.replace(rendering.LOGO_URL, logo.as_data_url()) if logo else html


def _find_sample(name: str) -> MailSample:
    sample = samples.find_sample(name)
    if sample is None:
        raise Http404
    return sample


def _sample_message(sample: MailSample, brand: Brand | None) -> Any:
    mail = OutgoingMail(kind=sample.kind, to="subscriber@example.com", brand=brand)
    return rendering.compose_message(mail, {"first_name": SAMPLE_FIRST_NAME, **sample.context()})


def _preview_link(sample: MailSample, brand: Brand | None) -> str:
    return f"?{urlencode({'mail': sample.name, 'brand': brand.code if brand else ''})}"


def _preview_frames(sample: MailSample, brand: Brand | None) -> list[dict[str, str]]:
    """Return the frames of a mail: each scheme in desktop and in phone width."""
    pk = brand.pk if brand else 0
    return [
        {
            "title": f"{sample.title}, {scheme}, {width}",
            "caption": f"{scheme.capitalize()}, {width}",
            "width": width,
            "address": reverse("admin:accounts_outgoingmail_previewed", args=[sample.name, pk, scheme]),
        }
        for width in ("wide", "narrow")
        for scheme in COLOR_SCHEMES
    ]
