"""What operators read as a whole rather than row by row."""

from billing.models.retention import RetentionEvent


class RetentionReport(RetentionEvent):
    """The retention events, added up; it has no rows of its own, but permissions."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        permissions = [("export_retentionreport", "Can export the retention report")]
        verbose_name = verbose_name_plural = "retention report"
