"""What operators arrange on the cancel screen: the survey's answers, and the words of the pause offer."""

from collections.abc import Sequence
from datetime import date

from django.db.models import Q

from billing.models import CancelScreenOffer, SurveyQuestion
from billing.survey import DEFAULT_ANSWERS


def offered_answers() -> dict[str, Sequence[str]]:
    """Return the answers that each question offers, in their order."""
    edited = {row.question: row.offered for row in SurveyQuestion.objects.all()}
    return {**DEFAULT_ANSWERS, **edited}


def accepted_answers(question: str) -> set[str]:
    """Return the answers to a question that may be sent: those that are or were offered."""
    row = SurveyQuestion.objects.filter(question=question).first()
    return row.accepted if row else set(DEFAULT_ANSWERS[question])


def pause_offers_on(day: date, *, brand: str) -> list[CancelScreenOffer]:
    """Return the pause offers of a brand's cancel screen on a day of the site, in their order."""
    has_begun = Q(starts_on=None) | Q(starts_on__lte=day)
    has_not_ended = Q(ends_on=None) | Q(ends_on__gte=day)
    return list(CancelScreenOffer.objects.filter(has_begun, has_not_ended, brand__in=("", brand)))
