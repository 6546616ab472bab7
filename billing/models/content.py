"""Content that operators edit: bundle rates, the pause offers, and the survey's answers."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from billing.survey import DEFAULT_ANSWERS, LONGEST_ANSWER, REASON, SATISFACTION, USAGE

MOST_ANSWERS = 12


class BundleRate(models.Model):
    """The percentage off each subscription of a bundle of `size`, granted by a coupon of the provider."""

    size = models.PositiveSmallIntegerField(unique=True, validators=[MinValueValidator(2)])
    percentage = models.DecimalField(
        max_digits=5, decimal_places=2, validators=[MinValueValidator(0), MaxValueValidator(100)]
    )
    coupon_id = models.CharField(max_length=100, unique=True, help_text="The provider's coupon that grants it.")

    class Meta:
        ordering = ("size",)

    def __str__(self) -> str:
        return f"{self.size}: {self.percentage} %"


class PauseOfferContent(models.Model):
    """The pause offer of a plan: four recommended titles, and three upcoming ones with captions."""

    plan_id = models.CharField(max_length=100, unique=True)
    recommended_title_image1 = models.CharField(max_length=300)
    recommended_title_image2 = models.CharField(max_length=300)
    recommended_title_image3 = models.CharField(max_length=300)
    recommended_title_image4 = models.CharField(max_length=300)
    recommended_title_text1 = models.CharField(
        max_length=120, blank=True, help_text="What picture 1 shows, for people who can't see it."
    )
    recommended_title_text2 = models.CharField(
        max_length=120, blank=True, help_text="What picture 2 shows, for people who can't see it."
    )
    recommended_title_text3 = models.CharField(
        max_length=120, blank=True, help_text="What picture 3 shows, for people who can't see it."
    )
    recommended_title_text4 = models.CharField(
        max_length=120, blank=True, help_text="What picture 4 shows, for people who can't see it."
    )
    upcoming_title_image1 = models.CharField(max_length=300)
    upcoming_title_image2 = models.CharField(max_length=300)
    upcoming_title_image3 = models.CharField(max_length=300)
    upcoming_image_text1 = models.CharField(max_length=120)
    upcoming_image_text2 = models.CharField(max_length=120)
    upcoming_image_text3 = models.CharField(max_length=120)

    class Meta:
        # The words operators know it by.
        verbose_name = verbose_name_plural = "pause offer content"

    def __str__(self) -> str:
        return self.plan_id


class CancelScreenOffer(models.Model):
    """The words of the pause offer on the cancel screen, for a brand, a reason and a time.

    The first one that fits is shown, by `position`; without one, the offer of docs/specification.md, cancel-5.
    """

    heading = models.CharField(max_length=60)
    text = models.TextField(max_length=300, help_text="What a pause means for this reason, in a sentence or two.")
    brand = models.CharField(max_length=40, blank=True, help_text="The brand's code. If empty, all brands.")
    reason = models.CharField(
        max_length=LONGEST_ANSWER,
        blank=True,
        help_text="Shown once the survey has this reason. If empty, with any reason and without one.",
    )
    starts_on = models.DateField(null=True, blank=True, help_text="The first day. If empty, at once.")
    ends_on = models.DateField(null=True, blank=True, help_text="The last day. If empty, without end.")
    position = models.PositiveSmallIntegerField(
        "order", default=1, help_text="Of those that fit, the lowest number is shown."
    )

    class Meta:
        ordering = ("position", "pk")
        verbose_name = "pause offer of the cancel screen"
        verbose_name_plural = "pause offers of the cancel screen"

    def __str__(self) -> str:
        return self.heading

    def clean(self) -> None:
        """Raise ValidationError for an end before the start."""
        if self.starts_on and self.ends_on and self.ends_on < self.starts_on:
            raise ValidationError({"ends_on": "The last day is before the first one."})


def validate_answers(text: str) -> None:
    """Raise ValidationError unless the text has one answer in each line, none twice."""
    answers = text.splitlines()
    if not 2 <= len(answers) <= MOST_ANSWERS:
        raise ValidationError(f"Enter 2 to {MOST_ANSWERS} answers, each in a line of its own.")
    if any(answer != " ".join(answer.split()) or not answer for answer in answers):
        raise ValidationError("Remove empty lines and extra spaces.")
    if max(map(len, answers)) > LONGEST_ANSWER:
        raise ValidationError(f"An answer has at most {LONGEST_ANSWER} characters.")
    if len(set(answers)) < len(answers):
        raise ValidationError("An answer is there twice.")


class SurveyQuestion(models.Model):
    """The answers of one question of the survey, in their order. Without a row, those of `DEFAULT_ANSWERS`.

    A form that was open when an answer was taken away may still send it, and the report still counts it.
    """

    question = models.CharField(
        max_length=12,
        unique=True,
        editable=False,
        choices=[
            (REASON, "Why are you leaving?"),
            (SATISFACTION, "How satisfied were you?"),
            (USAGE, "How often did you watch?"),
        ],
    )
    answers = models.TextField(
        validators=[validate_answers], help_text="One in each line, in the order in which they are offered."
    )
    former_answers = models.JSONField(default=list, editable=False)

    class Meta:
        ordering = ("pk",)
        verbose_name = "survey question"

    def __str__(self) -> str:
        return self.get_question_display()

    @property
    def offered(self) -> tuple[str, ...]:
        """The answers that are offered."""
        return tuple(self.answers.splitlines())

    @property
    def accepted(self) -> set[str]:
        """The answers that may be sent: those that are or were offered."""
        return {*self.offered, *self.former_answers, *DEFAULT_ANSWERS[self.question]}
