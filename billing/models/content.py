"""Content that operators edit: bundle rates and the pause offer."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


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
