"""The paths of billing, below /api/."""

from django.urls import path, register_converter

from billing.api.codes import CouponCode
from billing.api.numbers import InvoiceNumber
from billing.api.viewsets.account import AccountViewSet
from billing.api.viewsets.cancelling import CancelViewSet
from billing.api.viewsets.invoices import InvoiceDownloadViewSet, InvoiceViewSet
from billing.api.viewsets.pauses import PauseViewSet
from billing.api.viewsets.payments import PaymentsViewSet
from billing.api.viewsets.periods import PeriodsViewSet
from billing.api.viewsets.perks import PerksViewSet
from billing.api.viewsets.resumes import ResumeViewSet
from billing.api.viewsets.services import ServicesViewSet
from billing.api.viewsets.undo import UndoViewSet

register_converter(CouponCode, "coupon_code")
register_converter(InvoiceNumber, "invoice_number")

urlpatterns = [
    path("account", AccountViewSet.as_view({"get": "overview"}), name="account"),
    path("account/manage-plans", AccountViewSet.as_view({"get": "manage_plans"}), name="manage-plans"),
    path(
        "account/check-payment-failure",
        AccountViewSet.as_view({"get": "check_payment_failure"}),
        name="check-payment-failure",
    ),
    path("account/pause", PauseViewSet.as_view({"post": "pause"}), name="pause"),
    path("account/pause/estimate", PauseViewSet.as_view({"get": "estimate"}), name="pause-estimate"),
    path(
        "account/subscriptions/multiple-pause",
        PauseViewSet.as_view({"post": "multiple_pause"}),
        name="multiple-pause",
    ),
    path(
        "account/remove-scheduled-pause",
        PauseViewSet.as_view({"post": "remove_scheduled"}),
        name="remove-scheduled-pauses",
    ),
    path(
        "account/subscription/remove-scheduled-pause",
        PauseViewSet.as_view({"post": "remove_scheduled_of_one"}),
        name="remove-scheduled-pause",
    ),
    path("account/pause-offer", PauseViewSet.as_view({"get": "offer"}), name="pause-offer"),
    path("account/cancel", CancelViewSet.as_view({"post": "cancel"}), name="cancel"),
    path(
        "account/subscriptions/cancel",
        CancelViewSet.as_view({"post": "cancel_some"}),
        name="cancel-some",
    ),
    path("account/resume", ResumeViewSet.as_view({"post": "resume"}), name="resume"),
    path("account/resume/estimate", ResumeViewSet.as_view({"get": "estimate"}), name="resume-estimate"),
    path(
        "account/add-remove-service", ServicesViewSet.as_view({"post": "change"}), name="add-remove-service"
    ),
    path(
        "account/add-remove-service/estimate",
        ServicesViewSet.as_view({"post": "estimate"}),
        name="add-remove-service-estimate",
    ),
    path("account/upgrade", PeriodsViewSet.as_view({"post": "upgrade"}), name="upgrade"),
    path(
        "account/upgrade/estimate",
        PeriodsViewSet.as_view({"get": "upgrade_estimate"}),
        name="upgrade-estimate",
    ),
    path("account/downgrade", PeriodsViewSet.as_view({"post": "downgrade"}), name="downgrade"),
    path(
        "account/downgrade/estimate",
        PeriodsViewSet.as_view({"get": "downgrade_estimate"}),
        name="downgrade-estimate",
    ),
    path(
        "account/subscription/remove-scheduled-change",
        UndoViewSet.as_view({"post": "remove_scheduled_change"}),
        name="remove-scheduled-change",
    ),
    path(
        "account/subscription/remove-scheduled-cancellation",
        UndoViewSet.as_view({"post": "remove_scheduled_cancellation"}),
        name="remove-scheduled-cancellation",
    ),
    path(
        "account/add-coupon/<coupon_code:code>",
        PerksViewSet.as_view({"post": "add_coupon"}),
        name="add-coupon",
    ),
    path("account/claim-my-offer", PerksViewSet.as_view({"post": "claim_offer"}), name="claim-my-offer"),
    path(
        "account/claim-my-offer/estimate",
        PerksViewSet.as_view({"get": "offer_estimate"}),
        name="claim-my-offer-estimate",
    ),
    path("invoice/list", InvoiceViewSet.as_view({"get": "history"}), name="invoice-list"),
    path("invoice/pdf/<invoice_number:number>", InvoiceViewSet.as_view({"get": "pdf"}), name="invoice-pdf"),
    path(
        "invoice/download/<str:token>",
        InvoiceDownloadViewSet.as_view({"get": "download"}),
        name="invoice-download",
    ),
    path("payments/", PaymentsViewSet.as_view({"get": "methods"}), name="payments"),
    path("payments/paymentToken", PaymentsViewSet.as_view({"post": "token"}), name="payment-token"),
    path(
        "payments/updatePaymentSources",
        PaymentsViewSet.as_view({"post": "change"}),
        name="update-payment-sources",
    ),
]
