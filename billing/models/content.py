"""What operators edit: bundle rates and the pause offer's content."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


class BundleRate(models.Model):
    """What a bundle of `size` live subscriptions takes off each of them; at the provider a coupon."""

    size = models.PositiveSmallIntegerField(unique=True, validators=[MinValueValidator(2)])
    percentage = models.DecimalField(
        max_digits=5, decimal_places=2, validators=[MinValueValidator(0), MaxValueValidator(100)]
    )
    coupon_id = models.CharField(
        max_length=100, unique=True, help_text="The provider's coupon that grants it."
    )

    class Meta:
        ordering = ("size",)

    def __str__(self) -> str:
        return f"{self.size}: {self.percentage} %"


class RetentionContent(models.Model):
    """What the pause offer shows for a plan: four recommended titles, three upcoming ones with captions."""

    plan_id = models.CharField(max_length=60, unique=True)
    recommended_title_image1 = models.CharField(max_length=300)
    recommended_title_image2 = models.CharField(max_length=300)
    recommended_title_image3 = models.CharField(max_length=300)
    recommended_title_image4 = models.CharField(max_length=300)
    recommended_title_text1 = models.CharField(
        max_length=120, blank=True, help_text="What picture 1 shows, for those who cannot see it."
    )
    recommended_title_text2 = models.CharField(
        max_length=120, blank=True, help_text="What picture 2 shows, for those who cannot see it."
    )
    recommended_title_text3 = models.CharField(
        max_length=120, blank=True, help_text="What picture 3 shows, for those who cannot see it."
    )
    recommended_title_text4 = models.CharField(
        max_length=120, blank=True, help_text="What picture 4 shows, for those who cannot see it."
    )
    upcoming_title_image1 = models.CharField(max_length=300)
    upcoming_title_image2 = models.CharField(max_length=300)
    upcoming_title_image3 = models.CharField(max_length=300)
    upcoming_image_text1 = models.CharField(max_length=120)
    upcoming_image_text2 = models.CharField(max_length=120)
    upcoming_image_text3 = models.CharField(max_length=120)

    class Meta:
        verbose_name_plural = "retention content"

    def __str__(self) -> str:
        return self.plan_id
