"""Every mail as each brand's subscribers get it: in colours for light and dark ground, wide and narrow, and as text."""

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

from accounts import letters, mail_samples
from accounts.admin.read_only import AnyModelAdmin
from accounts.mail_samples import Sample
from accounts.models import Brand, OutgoingMail

SCHEMES = ("light", "dark")
DARK = "@media (prefers-color-scheme: dark)"
# A mail brings its own styles, as it must; it may do nothing else.
MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox"
)


class MailPreviews(AnyModelAdmin):
    """The outbox, with previews of what may come to stand in it."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page of previews and the mails that it frames."""
        site = self.admin_site
        own = [
            path("previews/", site.admin_view(self.previews), name="accounts_outgoingmail_previews"),
            path(
                "previews/<slug:name>/<int:brand>/<slug:scheme>/",
                xframe_options_sameorigin(site.admin_view(self.previewed)),
                name="accounts_outgoingmail_previewed",
            ),
        ]
        return own + super().get_urls()

    # Its frames are this site's own.
    @method_decorator(csp_update({"frame-src": [SELF]}))
    def previews(self, request: HttpRequest) -> HttpResponse:
        """Show one mail of one brand, and the ways to all others. Raises PermissionDenied, Http404."""
        self._check(request)
        brands = list(Brand.objects.all())
        sample = _sample(request.GET.get("mail") or mail_samples.samples()[0].name)
        brand = next((one for one in brands if one.code == request.GET.get("brand")), None)
        brand = brand or next((one for one in brands if one.is_default), None)
        context = {
            **self.admin_site.each_context(request),
            "title": "Previews of all mails",
            "opts": self.opts,
            "mails": [(one.title, _link(one, brand), one == sample) for one in mail_samples.samples()],
            "brands": [(str(one), _link(sample, one), one == brand) for one in brands],
            "frames": _frames(sample, brand),
            "message": _message(sample, brand),
        }
        return TemplateResponse(request, "admin/accounts/outgoingmail/previews.html", context)

    def previewed(self, request: HttpRequest, name: str, brand: int, scheme: str) -> HttpResponse:
        """Answer with a mail's HTML as a device of this colour scheme shows it. Raises PermissionDenied, Http404."""
        self._check(request)
        chosen = Brand.objects.filter(pk=brand).first()
        if scheme not in SCHEMES or (chosen is None and brand != 0):
            raise Http404
        shown = as_in(scheme, str(_message(_sample(name), chosen).alternatives[0].content))
        return HttpResponse(shown, headers={"Content-Security-Policy": MAIL_POLICY})

    def _check(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied


def as_in(scheme: str, html: str) -> str:
    """Return a mail's HTML with its rules for dark ground always or never in force."""
    html = html.replace(DARK, "@media all" if scheme == "dark" else "@media not all")
    # Its links lead nowhere from here: the frame may open no window.
    html = html.replace("<head>", '<head><base target="_blank">', 1)
    return html.replace('content="light dark"', f'content="{scheme}"')


def _sample(name: str) -> Sample:
    found = mail_samples.find(name)
    if found is None:
        raise Http404
    return found


def _message(sample: Sample, brand: Brand | None) -> Any:
    mail = OutgoingMail(kind=sample.kind, to="subscriber@example.com", brand=brand)
    return letters.compose(mail, sample.context())


def _link(sample: Sample, brand: Brand | None) -> str:
    return f"?{urlencode({'mail': sample.name, 'brand': brand.code if brand else ''})}"


def _frames(sample: Sample, brand: Brand | None) -> list[dict[str, str]]:
    """Give the frames of a mail: each scheme wide and as on a telephone."""
    pk = brand.pk if brand else 0
    return [
        {
            "title": f"{sample.title}, {scheme}, {width}",
            "caption": f"{scheme.capitalize()}, {width}",
            "width": width,
            "address": reverse("admin:accounts_outgoingmail_previewed", args=[sample.name, pk, scheme]),
        }
        for width in ("wide", "narrow")
        for scheme in SCHEMES
    ]
