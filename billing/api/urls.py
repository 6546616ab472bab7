"""Billing's paths below /api/."""

from django.urls import path, register_converter

from billing.api.path_converters import CouponCodeConverter, InvoiceNumberConverter
from billing.api.viewsets.account import AccountViewSet
from billing.api.viewsets.billing_period import PeriodsViewSet
from billing.api.viewsets.cancellation import CancelScreenViewSet, CancelViewSet
from billing.api.viewsets.coupons import CouponViewSet
from billing.api.viewsets.customers import OtherCustomersViewSet
from billing.api.viewsets.free_month import FreeMonthViewSet
from billing.api.viewsets.invoices import InvoiceDownloadViewSet, InvoiceViewSet
from billing.api.viewsets.pauses import PauseViewSet
from billing.api.viewsets.payments import PaymentsViewSet
from billing.api.viewsets.plan_selection import ServicesViewSet
from billing.api.viewsets.resumes import ResumeViewSet
from billing.api.viewsets.undo import UndoViewSet

register_converter(CouponCodeConverter, "coupon_code")
register_converter(InvoiceNumberConverter, "invoice_number")

urlpatterns = [
    path("account", AccountViewSet.as_view({"get": "show_account"}), name="account"),
    path("account/manage-plans", AccountViewSet.as_view({"get": "show_plans"}), name="manage-plans"),
    path("account/others", OtherCustomersViewSet.as_view({"get": "list_others"}), name="other-customers"),
    path(
        "account/others/switch",
        OtherCustomersViewSet.as_view({"post": "switch_customer"}),
        name="switch-customer",
    ),
    path(
        "account/check-payment-failure",
        AccountViewSet.as_view({"get": "check_payment_failure"}),
        name="check-payment-failure",
    ),
    path("account/pause", PauseViewSet.as_view({"post": "pause_all"}), name="pause"),
    path("account/pause/estimate", PauseViewSet.as_view({"get": "estimate_pause"}), name="pause-estimate"),
    path(
        "account/subscriptions/multiple-pause",
        PauseViewSet.as_view({"post": "pause_some"}),
        name="multiple-pause",
    ),
    path(
        "account/remove-scheduled-pause",
        PauseViewSet.as_view({"post": "remove_scheduled_pauses"}),
        name="remove-scheduled-pauses",
    ),
    path(
        "account/subscription/remove-scheduled-pause",
        PauseViewSet.as_view({"post": "remove_scheduled_pause"}),
        name="remove-scheduled-pause",
    ),
    path("account/pause-offer", PauseViewSet.as_view({"get": "show_offer"}), name="pause-offer"),
    path("account/cancel-screen", CancelScreenViewSet.as_view({"get": "show_screen"}), name="cancel-screen"),
    path("account/cancel", CancelViewSet.as_view({"post": "cancel_all"}), name="cancel"),
    path(
        "account/subscriptions/cancel",
        CancelViewSet.as_view({"post": "cancel_some"}),
        name="cancel-some",
    ),
    path("account/resume", ResumeViewSet.as_view({"post": "resume_paused"}), name="resume"),
    path("account/resume/estimate", ResumeViewSet.as_view({"get": "estimate_resume"}), name="resume-estimate"),
    path(
        "account/add-remove-service",
        ServicesViewSet.as_view({"post": "change_selection"}),
        name="add-remove-service",
    ),
    path(
        "account/add-remove-service/estimate",
        ServicesViewSet.as_view({"post": "estimate_selection"}),
        name="add-remove-service-estimate",
    ),
    path("account/upgrade", PeriodsViewSet.as_view({"post": "upgrade_plans"}), name="upgrade"),
    path(
        "account/upgrade/estimate",
        PeriodsViewSet.as_view({"get": "estimate_upgrade"}),
        name="upgrade-estimate",
    ),
    path("account/downgrade", PeriodsViewSet.as_view({"post": "downgrade_plans"}), name="downgrade"),
    path(
        "account/downgrade/estimate",
        PeriodsViewSet.as_view({"get": "estimate_downgrade"}),
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
        CouponViewSet.as_view({"post": "redeem_code"}),
        name="add-coupon",
    ),
    path(
        "account/claim-my-offer",
        FreeMonthViewSet.as_view({"post": "claim_free_month"}),
        name="claim-my-offer",
    ),
    path(
        "account/claim-my-offer/estimate",
        FreeMonthViewSet.as_view({"get": "estimate_free_month"}),
        name="claim-my-offer-estimate",
    ),
    path("invoice/list", InvoiceViewSet.as_view({"get": "list_invoices"}), name="invoice-list"),
    path("invoice/pdf/<invoice_number:number>", InvoiceViewSet.as_view({"get": "link_pdf"}), name="invoice-pdf"),
    path(
        "invoice/credit-note/<invoice_number:number>",
        InvoiceViewSet.as_view({"get": "link_credit_note"}),
        name="credit-note-pdf",
    ),
    path(
        "invoice/statement/<int:year>",
        InvoiceViewSet.as_view({"get": "link_statement"}),
        name="invoice-statement",
    ),
    path(
        "invoice/download/<str:token>",
        InvoiceDownloadViewSet.as_view({"get": "download_pdf"}),
        name="invoice-download",
    ),
    path("payments/", PaymentsViewSet.as_view({"get": "list_methods"}), name="payments"),
    path(
        "payments/paymentToken",
        PaymentsViewSet.as_view({"post": "create_intent"}),
        name="payment-token",
    ),
    path(
        "payments/updatePaymentSources",
        PaymentsViewSet.as_view({"post": "change_methods"}),
        name="update-payment-sources",
    ),
]
