"""Read-only pages of the mirror: the provider's records as last read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin import account_actions, audit_log
from accounts.admin.csv_export import ExportableAdmin
from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import Account
from billing import clock
from billing.admin.formatting import (
    UNSET,
    describe_source,
    format_instant,
    format_json,
    format_price,
    page_link,
    readable_payload,
    related_list_links,
)
from billing.changes import operator_actions
from billing.models import Customer, Invoice, ItemPrice, PaymentSource, Plan, Subscription, Transaction
from billing.models.mirror_row import MirroredResource
from billing.money import format_cents
from billing.queries.catalog import arranged_price_ids
from billing.queries.customers import shared_addresses
from billing.queries.holdings import attach_plans
from core.errors import PortalError


class MirroredAdmin(ReadOnlyAdmin):
    """A mirrored resource: its columns, readable payload, and when it was read."""

    last_fields = ("provider_payload", "provider_version", "synced_at", "deleted")

    @admin.display(description="Chargebee status")
    def provider_payload(self, row: MirroredResource) -> SafeString:
        """Return the payload with readable amounts and times."""
        return format_json(readable_payload(row.payload))

    @admin.display(description="version", ordering="resource_version")
    def provider_version(self, row: MirroredResource) -> str:
        """Return the provider's version, a time in milliseconds."""
        return str(row.resource_version)


class CustomerOwnedAdmin(MirroredAdmin):
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
        return queryset.filter(email__in=shared_addresses(Customer.objects.all()), deleted=False).order_by("email")


@admin.register(Customer)
class CustomerAdmin(MirroredAdmin):
    """Customers. One without an account is one that nobody has signed in to yet."""

    list_display = ("provider_id", "email", "account_page", "synced_at", "deleted")
    list_filter = (SharedAddressFilter, ("account", admin.EmptyFieldListFilter), "deleted")
    list_select_related = ("account",)
    search_fields = ("provider_id", "email", "account__email")
    fields = ("provider_id", "email", "account_page", "related_lists", *MirroredAdmin.last_fields)
    actions = ("read_again",)

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
            return subscriptions.exclude(item_price_id__in=arranged_price_ids())
        prices = ItemPrice.objects.filter(item_id=self.value())
        return subscriptions.filter(item_price_id__in=prices.values("provider_id"))


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
        "provider_id",
        "account_page",
        "plan_label",
        "status",
        "formatted_price",
        "next_bill",
        "term_end",
        "deleted",
    )
    list_filter = ("status", PlanFilter, "deleted")
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    date_hierarchy = "created_at"
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "plan_label",
        "status",
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

    list_display = ("provider_id", "account_page", "masked_source", "provider_status", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
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
        return describe_source(source)

    @admin.display(description="state")
    def provider_status(self, source: PaymentSource) -> str:
        """Return the provider's status."""
        return source.text("status") or UNSET


@admin.register(Invoice)
class InvoiceAdmin(CustomerOwnedAdmin, ExportableAdmin):
    """Invoices; the number is the provider's id."""

    list_display = (
        "provider_id",
        "account_page",
        "issued_at",
        "status",
        "formatted_total",
        "formatted_amount_due",
        "dunning_status",
        "deleted",
    )
    list_filter = ("status", "deleted", "issued_at")
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    date_hierarchy = "issued_at"
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "issued_at",
        "status",
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

    @admin.display(description="total")
    def formatted_total(self, invoice: Invoice) -> str:
        """Return the total, tax included."""
        return format_cents(invoice.cents("total"), invoice.text("currency_code") or "USD")

    @admin.display(description="amount due")
    def formatted_amount_due(self, invoice: Invoice) -> str:
        """Return the amount due."""
        return format_cents(invoice.cents("amount_due"), invoice.text("currency_code") or "USD")

    @admin.display(description="dunning")
    def dunning_status(self, invoice: Invoice) -> str:
        """Return its dunning status."""
        return invoice.text("dunning_status") or UNSET

    @admin.display(description="belongs to it")
    def related_lists(self, invoice: Invoice) -> SafeString:
        """Return a link to its PDFs."""
        return related_list_links(invoice)


@admin.register(Transaction)
class TransactionAdmin(CustomerOwnedAdmin, ExportableAdmin):
    """Payments and payment attempts."""

    list_display = (
        "provider_id",
        "account_page",
        "kind_and_method",
        "formatted_amount",
        "made_at",
        "status_and_error",
        "deleted",
    )
    list_filter = ("deleted",)
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "kind_and_method",
        "formatted_amount",
        "made_at",
        "status_and_error",
        *MirroredAdmin.last_fields,
    )

    export_columns = (
        ("id", lambda transaction: transaction.provider_id),
        ("customer", lambda transaction: transaction.customer.provider_id),
        ("email", lambda transaction: transaction.customer.email),
        ("made_at", lambda transaction: transaction.instant("date")),
        ("type", lambda transaction: transaction.text("type")),
        ("payment_method", lambda transaction: transaction.text("payment_method")),
        ("status", lambda transaction: transaction.text("status")),
        ("currency", lambda transaction: transaction.text("currency_code")),
        ("amount_cents", lambda transaction: transaction.cents("amount")),
        ("error_code", lambda transaction: transaction.text("error_code")),
    )

    @admin.display(description="kind")
    def kind_and_method(self, transaction: Transaction) -> str:
        """Return its type and payment method."""
        return f"{transaction.text('type')} by {transaction.text('payment_method')}"

    @admin.display(description="amount")
    def formatted_amount(self, transaction: Transaction) -> str:
        """Return the amount."""
        return format_cents(transaction.cents("amount"), transaction.text("currency_code") or "USD")

    @admin.display(description="made at")
    def made_at(self, transaction: Transaction) -> str:
        """Return when it was made."""
        return format_instant(transaction.instant("date"))

    @admin.display(description="outcome")
    def status_and_error(self, transaction: Transaction) -> str:
        """Return its status, with the provider's error code for a failure."""
        return f"{transaction.text('status')} {transaction.text('error_code')}".strip()
