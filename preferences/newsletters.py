"""Sending newsletters: each to every subscriber who wants its kind, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Concat
from django.utils import timezone

from accounts.mail.queue import queue_mail
from accounts.mail.samples import MailSample
from accounts.models import Account, OutgoingMail
from core.errors import PortalError
from preferences.models import Newsletter, Preference

MAIL_KIND = "newsletter"
# As many as a request queues well within its time; the operator sends again for the rest.
PORTION = 1000
# Long before the rows that prevent a second mail are deleted.
SENDABLE_FOR = timedelta(days=30)


class NewsletterTooOld(PortalError):
    """The newsletter was first sent too long ago to be sent again."""

    code, status = "invalid_state", 409
    message = "This newsletter was sent a while ago. Write a new one."


@dataclass(frozen=True, slots=True)
class SendingResult:
    """How many mails were queued, and how many subscribers are left for another sending."""

    queued: int
    left: int


def send_newsletter(newsletter: Newsletter) -> SendingResult:
    """Queue a newsletter for a portion of those who want it and have not got it. Raises NewsletterTooOld.

    Doing it again goes on where it stopped, also after a crash. Whether it is still wanted is asked once more when each
    mail is sent.
    """
    now = timezone.now()
    Newsletter.objects.filter(pk=newsletter.pk, sent_at=None).update(sent_at=now)
    newsletter.refresh_from_db()
    if newsletter.sent_at is None or newsletter.sent_at < now - SENDABLE_FOR:
        raise NewsletterTooOld
    recipients = _recipients(newsletter)
    queued = sum(_queue_newsletter(newsletter, account) for account in recipients.order_by("pk")[:PORTION])
    return SendingResult(queued=queued, left=_recipients(newsletter).count())


def newsletter_context(newsletter: Newsletter) -> dict[str, object]:
    """Return the context of the mail's templates."""
    lines = [line.strip() for line in newsletter.text.splitlines() if line.strip()]
    return {"title": newsletter.title, "lines": lines, "facts": []}


def demo_newsletter() -> Newsletter:
    """Return the newsletter of the demo and of the previews, unsaved."""
    return Newsletter(
        category=Preference.NEWS_LETTER,
        title="New this week: seven episodes and a movie night",
        text="Seven new episodes are here, one for each evening.\nOn Friday, watch a family movie with us.",
    )


def newsletter_sample() -> MailSample:
    """Return the sample of this mail for the admin's previews."""
    return MailSample(MAIL_KIND, "Newsletter", MAIL_KIND, lambda: newsletter_context(demo_newsletter()))


def _recipients(newsletter: Newsletter) -> QuerySet[Account]:
    """Return the accounts that want the newsletter's kind and have no mail of it yet; of an address the oldest."""
    key = Concat(Value(f"{MAIL_KIND}:{newsletter.pk}:"), OuterRef("pk"))
    told = OutgoingMail.objects.filter(account=OuterRef("pk"), kind=MAIL_KIND, dedupe_key=key)
    wanted = {f"email_preferences__{Preference(newsletter.category).name.lower()}": True}
    older = Account.objects.filter(email=OuterRef("email"), pk__lt=OuterRef("pk"), **wanted)
    return Account.objects.filter(**wanted).exclude(email="").exclude(Exists(told)).exclude(Exists(older))


def _queue_newsletter(newsletter: Newsletter, account: Account) -> bool:
    mail = queue_mail(
        kind=MAIL_KIND,
        to=account.email,
        account=account,
        context=newsletter_context(newsletter),
        dedupe_key=f"{MAIL_KIND}:{newsletter.pk}:{account.pk}",
        category=newsletter.category,
    )
    return mail is not None
