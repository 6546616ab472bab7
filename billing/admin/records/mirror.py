"""Read-only pages of the mirror: the provider's records as last read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils.safestring import SafeString
from django.utils.text import slugify

from accounts.admin import audit_log
from accounts.admin.desk import account_actions
from accounts.admin.lists.csv_export import ExportableAdmin
from accounts.admin.lists.display import BAD, NO_VALUE, format_instant, state_pill
from accounts.admin.lists.large_tables import LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from accounts.models import Account
from billing import clock
from billing.admin.formatting import (
    dunning_words,
    format_json,
    format_price,
    invoice_state,
    page_link,
    readable_payload,
    related_list_links,
    subscription_state,
)
from billing.changes import operator_actions
from billing.invoices import pdf_files
from billing.models import Customer, Invoice, ItemPrice, PaymentSource, Plan, Subscription, Transaction
from billing.models.mirror_row import MirroredResource
from billing.money import format_cents
from billing.queries.catalog import unarranged_price_ids
from billing.queries.customers import known_shared_addresses
from billing.queries.subscriptions.holdings import attach_plans
from billing.receipts.phrases import payment_method_name
from core.errors import PortalError


class MirroredAdmin(ReadOnlyAdmin):
    """A mirrored resource: its columns, readable payload, and when it was read."""

    last_fields = ("provider_payload", "provider_version", "synced_at", "deleted")

    @admin.display(description="Chargebee status")
    def provider_payload(self, row: MirroredResource) -> SafeString:
        """Return the payload with readable amounts and times."""
        return format_json(readable_payload(row.payload))

    @admin.display(description="deleted", ordering="deleted", empty_value="")
    def deletion(self, row: MirroredResource) -> SafeString | None:
        """Return a word if the provider has deleted the resource."""
        return state_pill("Deleted", BAD) if row.deleted else None

    @admin.display(description="version", ordering="resource_version")
    def provider_version(self, row: MirroredResource) -> str:
        """Return the provider's version, a time in milliseconds."""
        return str(row.resource_version)


class CustomerOwnedAdmin(LargeTableAdmin, MirroredAdmin):
    """A mirrored resource that belongs to a customer."""

    account_lookup = "customer__account__id__exact"
    list_select_related = ("customer__account",)

    @admin.display(description="customer", ordering="customer__provider_id")
    def customer_page(self, row: Subscription | Invoice | PaymentSource | Transaction) -> SafeString | str:
        """Return a link to the customer."""
        return page_link(row.customer)

    @admin.display(description="account", ordering="customer__account__email")
    def account_page(self, row: Subscription | Invoice | PaymentSource | Transaction) -> SafeString | str:
        """Return a link to the account."""
        return account_link(row.customer.account)


class SharedAddressFilter(admin.SimpleListFilter):
    """Filters customers whose address other customers have, too."""

    title = "address"
    parameter_name = "shared"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the only choice."""
        return [("yes", "shared with another customer")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Customer]) -> QuerySet[Customer]:
        """Return the customers that share an address when the filter is on."""
        if self.value() != "yes":
            return queryset
        return queryset.filter(email__in=known_shared_addresses().values("email"), deleted=False)


@admin.register(Customer)
class CustomerAdmin(LargeTableAdmin, MirroredAdmin):
    """Customers. One without an account is one that nobody has signed in to yet."""

    list_display = ("provider_id", "email", "account_page", "synced_at", "deletion")
    list_filter = (SharedAddressFilter, ("account", admin.EmptyFieldListFilter), "deleted")
    list_select_related = ("account",)
    search_fields = ("provider_id__exact", "email__startswith", "account__email__startswith")
    fields = ("provider_id", "email", "account_page", "related_lists", *MirroredAdmin.last_fields)
    actions = ("read_again",)

    def get_ordering(self, request: HttpRequest) -> Any:
        """Return the order of the list, in which the customers of a shared address are side by side."""
        return ("email",) if SharedAddressFilter.parameter_name in request.GET else super().get_ordering(request)

    def has_resync_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may resync accounts with the provider."""
        return request.user.has_perm("billing.change_customer")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, customer: Customer) -> SafeString | str:
        """Return a link to the account."""
        return account_link(customer.account)

    @admin.display(description="belongs to it")
    def related_lists(self, customer: Customer) -> SafeString:
        """Return links to the lists of the customer's records."""
        return related_list_links(customer)

    @admin.action(description="Refresh from Chargebee", permissions=["resync"])
    def read_again(self, request: HttpRequest, customers: QuerySet[Customer]) -> None:
        """Resync the mirror of the selected accounts with the provider."""
        resynced = 0
        for account in Account.objects.filter(customer__in=customers):
            try:
                operator_actions.resync_as_operator(
                    account, actor=audit_log.operator_actor(request), now=clock.billing_now()
                )
            except PortalError as error:
                messages.error(request, f"{account}: {account_actions.describe_error(error)}")
            else:
                audit_log.log_action(request, account, "Refreshed from Chargebee.")
                resynced += 1
        messages.success(request, f"Customers refreshed: {resynced}.")


class PlanFilter(admin.SimpleListFilter):
    """Subscriptions of one plan of the catalog, or of the items that nobody has arranged."""

    title = "plan"
    parameter_name = "plan"
    outside_catalog = "none"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the plans."""
        return [*((plan.id, str(plan)) for plan in Plan.objects.all()), (self.outside_catalog, "not in the catalog")]

    def queryset(self, request: HttpRequest, subscriptions: QuerySet[Subscription]) -> QuerySet[Subscription]:
        """Return the subscriptions of the chosen plan."""
        if self.value() is None:
            return subscriptions
        if self.value() == self.outside_catalog:
            return subscriptions.filter(item_price_id__in=unarranged_price_ids())
        # Read first: with the ids the database knows how many rows they have, and which index is the better one.
        prices = ItemPrice.objects.filter(item_id=self.value()).values_list("provider_id", flat=True)
        return subscriptions.filter(item_price_id__in=list(prices))


class SubscriptionList(ChangeList):
    """A page of subscriptions, with their plans read together."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page and the plans of its subscriptions."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        attach_plans(self.result_list)


@admin.register(Subscription)
class SubscriptionAdmin(CustomerOwnedAdmin):
    """Subscriptions, each of one plan."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that reads the plans of a page together."""
        return SubscriptionList

    list_display = (
        "account_page",
        "provider_id",
        "plan_label",
        "status_in_words",
        "formatted_price",
        "next_bill",
        "term_end",
        "deletion",
    )
    list_display_links = ("provider_id",)
    list_filter = (("status", RecentValuesFilter), PlanFilter, "deleted")
    search_fields = ("provider_id__exact", "customer__provider_id__exact", "customer__email__startswith")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "plan_label",
        "status_in_words",
        "formatted_price",
        "next_bill",
        "term_end",
        "pause_from",
        "end_date",
        "created_at",
        "related_lists",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="plan", ordering="item_price_id")
    def plan_label(self, subscription: Subscription) -> str:
        """Return the plan's name and its price id at the provider."""
        note = "" if subscription.plan.is_arranged else ", not in the catalog"
        return f"{subscription.plan.name} ({subscription.item_price_id}{note})"

    @admin.display(description="status", ordering="status")
    def status_in_words(self, subscription: Subscription) -> SafeString:
        """Return its status as a pill."""
        return subscription_state(subscription)

    @admin.display(description="per period")
    def formatted_price(self, subscription: Subscription) -> str:
        """Return the price of one period, before discounts and tax."""
        return format_price(subscription.amount, subscription.terms)

    @admin.display(description="next bill")
    def next_bill(self, subscription: Subscription) -> str:
        """Return when it bills next."""
        return format_instant(subscription.next_billing_at)

    @admin.display(description="term ends")
    def term_end(self, subscription: Subscription) -> str:
        """Return when the current term ends, or the trial."""
        return format_instant(subscription.period_end)

    @admin.display(description="pauses from")
    def pause_from(self, subscription: Subscription) -> str:
        """Return when its pause starts or started."""
        return format_instant(subscription.pause_date)

    @admin.display(description="ends")
    def end_date(self, subscription: Subscription) -> str:
        """Return when it ends or ended."""
        return format_instant(subscription.cancelled_at)

    @admin.display(description="belongs to it")
    def related_lists(self, subscription: Subscription) -> SafeString:
        """Return a link to its pause schedules."""
        return related_list_links(subscription)


@admin.register(PaymentSource)
class PaymentSourceAdmin(CustomerOwnedAdmin):
    """Cards and PayPal accounts, masked by the provider."""

    list_display = ("provider_id", "account_page", "masked_source", "provider_status", "deletion")
    list_filter = ("deleted",)
    search_fields = ("provider_id__exact", "customer__provider_id__exact", "customer__email__startswith")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "masked_source",
        "provider_status",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="what it is")
    def masked_source(self, source: PaymentSource) -> str:
        """Return its kind and its masked number or PayPal address."""
        return payment_method_name(source)

    @admin.display(description="state")
    def provider_status(self, source: PaymentSource) -> str:
        """Return the provider's status."""
        return source.text("status") or NO_VALUE


@admin.register(Invoice)
class InvoiceAdmin(CustomerOwnedAdmin, ExportableAdmin):
    """Invoices; the number is the provider's id."""

    list_display = (
        "account_page",
        "provider_id",
        "issued_at",
        "status_in_words",
        "formatted_total",
        "formatted_amount_due",
        "dunning_status",
        "deletion",
    )
    list_display_links = ("provider_id",)
    ordering = ("-issued_at",)
    list_filter = (("status", RecentValuesFilter), "deleted", "issued_at")
    search_fields = ("provider_id__exact", "customer__provider_id__exact", "customer__email__startswith")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "issued_at",
        "status_in_words",
        "formatted_total",
        "formatted_amount_due",
        "dunning_status",
        "related_lists",
        *MirroredAdmin.last_fields,
    )

    export_columns = (
        ("number", lambda invoice: invoice.provider_id),
        ("customer", lambda invoice: invoice.customer.provider_id),
        ("email", lambda invoice: invoice.customer.email),
        ("issued_at", lambda invoice: invoice.issued_at),
        ("status", lambda invoice: invoice.status),
        ("currency", lambda invoice: invoice.text("currency_code")),
        ("total_cents", lambda invoice: invoice.cents("total")),
        ("due_cents", lambda invoice: invoice.cents("amount_due")),
        ("dunning", lambda invoice: invoice.text("dunning_status")),
    )

    def get_urls(self) -> list[Any]:
        """Add the URL of an invoice's PDF."""
        pdf = path("<int:invoice_id>/pdf/", self.admin_site.admin_view(self.pdf_view), name="billing_invoice_pdf")
        return [pdf, *super().get_urls()]

    def pdf_view(self, request: HttpRequest, invoice_id: int) -> HttpResponseBase:
        """Return an invoice's PDF, or its page while it is prepared. Raises Http404 and PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        invoice = get_object_or_404(Invoice, pk=invoice_id, deleted=False)
        try:
            file = pdf_files.open_invoice_pdf(invoice)
        except PortalError as error:
            messages.warning(request, error.message)
            return redirect("admin:billing_invoice_change", invoice.pk)
        name = f"invoice-{slugify(invoice.provider_id)}.pdf"
        return FileResponse(file, as_attachment=True, filename=name, content_type="application/pdf")

    @admin.display(description="total")
    def formatted_total(self, invoice: Invoice) -> str:
        """Return the total, tax included."""
        return format_cents(invoice.cents("total"), invoice.text("currency_code") or "USD")

    @admin.display(description="amount due")
    def formatted_amount_due(self, invoice: Invoice) -> str:
        """Return the amount due."""
        return format_cents(invoice.cents("amount_due"), invoice.text("currency_code") or "USD")

    @admin.display(description="status", ordering="status")
    def status_in_words(self, invoice: Invoice) -> SafeString:
        """Return its status as a pill."""
        return invoice_state(invoice)

    @admin.display(description="tries")
    def dunning_status(self, invoice: Invoice) -> str:
        """Return whether a failed collection is tried again."""
        return dunning_words(invoice) or NO_VALUE

    @admin.display(description="belongs to it")
    def related_lists(self, invoice: Invoice) -> SafeString:
        """Return a link to its PDFs."""
        return related_list_links(invoice)
