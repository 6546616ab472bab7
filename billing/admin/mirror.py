"""The mirror: what the provider holds of customers, as we last read it. Nobody changes it here."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin import acts, journal
from accounts.admin.export import ExportedAdmin
from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import Account
from billing import clock
from billing.admin.readable import UNSET, lists_about, masked, page_link, pretty, told, when
from billing.catalog import find_plan
from billing.models import Customer, Invoice, PaymentSource, Subscription, Transaction
from billing.models.mirrored import Mirrored
from billing.money import format_cents
from billing.services import support
from portal.errors import PortalError


class MirroredAdmin(ReadOnlyAdmin):
    """A mirrored resource: its columns, its payload in readable form, and how fresh it is."""

    last_fields = ("provider_says", "version", "synced_at", "deleted")

    @admin.display(description="provider says")
    def provider_says(self, row: Mirrored) -> SafeString:
        """Show the payload, its cents and instants in words."""
        return pretty(told(row.payload))

    @admin.display(description="version", ordering="resource_version")
    def version(self, row: Mirrored) -> str:
        """Show the provider's version, which is a time in milliseconds."""
        return str(row.resource_version)


class OwnedAdmin(MirroredAdmin):
    """A mirrored resource of one customer."""

    account_lookup = "customer__account__id__exact"
    list_select_related = ("customer__account",)

    @admin.display(description="customer", ordering="customer__provider_id")
    def customer_page(self, row: Subscription | Invoice | PaymentSource | Transaction) -> SafeString | str:
        """Link to the customer."""
        return page_link(row.customer)

    @admin.display(description="account", ordering="customer__account__email")
    def account_page(self, row: Subscription | Invoice | PaymentSource | Transaction) -> SafeString | str:
        """Link to the account."""
        return account_link(row.customer.account)


@admin.register(Customer)
class CustomerAdmin(MirroredAdmin):
    """Provider customers; one without an account is a further one of an address (contract, rule 13)."""

    list_display = ("provider_id", "email", "account_page", "synced_at", "deleted")
    list_filter = (("account", admin.EmptyFieldListFilter), "deleted")
    list_select_related = ("account",)
    search_fields = ("provider_id", "email", "account__email")
    fields = ("provider_id", "email", "account_page", "belongings", *MirroredAdmin.last_fields)
    actions = ("read_again",)

    def has_resync_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may have the provider read again."""
        return request.user.has_perm("billing.change_customer")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, customer: Customer) -> SafeString | str:
        """Link to the account."""
        return account_link(customer.account)

    @admin.display(description="belongs to it")
    def belongings(self, customer: Customer) -> SafeString:
        """Link to the lists of what the customer has."""
        return lists_about(customer)

    @admin.action(description="Read again from the provider", permissions=["resync"])
    def read_again(self, request: HttpRequest, customers: QuerySet[Customer]) -> None:
        """Bring the mirror of the accounts chosen up to the provider."""
        read = 0
        for account in Account.objects.filter(customer__in=customers):
            try:
                support.resync(account, actor=journal.actor_of(request), now=clock.now())
            except PortalError as error:
                messages.error(request, f"{account}: {acts.told(error)}")
            else:
                journal.note(request, account, "Read again from the provider.")
                read += 1
        messages.success(request, f"Customers read again: {read}.")


@admin.register(Subscription)
class SubscriptionAdmin(OwnedAdmin):
    """Subscriptions, one service's plan each."""

    list_display = (
        "provider_id",
        "account_page",
        "plan",
        "status",
        "price",
        "next_bill",
        "term_end",
        "deleted",
    )
    list_filter = ("status", "service", "deleted")
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    date_hierarchy = "created_at"
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "plan",
        "status",
        "price",
        "next_bill",
        "term_end",
        "pause_from",
        "ends",
        "created_at",
        "belongings",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="plan", ordering="service")
    def plan(self, subscription: Subscription) -> str:
        """Name the plan and its price at the provider."""
        known = find_plan(subscription.plan_id)
        return f"{known.name if known else 'not in the catalogue'} ({subscription.item_price_id})"

    @admin.display(description="per period")
    def price(self, subscription: Subscription) -> str:
        """Tell what one period costs, before discounts and tax."""
        return f"{format_cents(subscription.amount)} a {subscription.period_unit or 'period'}"

    @admin.display(description="bills next")
    def next_bill(self, subscription: Subscription) -> str:
        """Tell when it bills next."""
        return when(subscription.next_billing_at)

    @admin.display(description="term ends")
    def term_end(self, subscription: Subscription) -> str:
        """Tell when the running term ends."""
        return when(subscription.current_term_end)

    @admin.display(description="pauses from")
    def pause_from(self, subscription: Subscription) -> str:
        """Tell when its pause starts or started."""
        return when(subscription.pause_date)

    @admin.display(description="ends")
    def ends(self, subscription: Subscription) -> str:
        """Tell when it ends or ended."""
        return when(subscription.cancelled_at)

    @admin.display(description="belongs to it")
    def belongings(self, subscription: Subscription) -> SafeString:
        """Link to its pause schedules."""
        return lists_about(subscription)


@admin.register(PaymentSource)
class PaymentSourceAdmin(OwnedAdmin):
    """Cards and PayPal accounts, as the provider masks them."""

    list_display = ("provider_id", "account_page", "source", "state", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    fields = ("provider_id", "account_page", "customer_page", "source", "state", *MirroredAdmin.last_fields)

    @admin.display(description="what it is")
    def source(self, source: PaymentSource) -> str:
        """Tell what it is, and as much of its number or address as we hold."""
        return masked(source)

    @admin.display(description="state")
    def state(self, source: PaymentSource) -> str:
        """Tell the provider's word for it."""
        return source.text("status") or UNSET


@admin.register(Invoice)
class InvoiceAdmin(OwnedAdmin, ExportedAdmin):
    """Invoices; the number is the provider's id."""

    list_display = (
        "provider_id",
        "account_page",
        "issued_at",
        "status",
        "total",
        "due",
        "dunning",
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
        "total",
        "due",
        "dunning",
        "belongings",
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
    def total(self, invoice: Invoice) -> str:
        """Tell the total, tax included."""
        return format_cents(invoice.cents("total"), invoice.text("currency_code") or "USD")

    @admin.display(description="still due")
    def due(self, invoice: Invoice) -> str:
        """Tell what is still due."""
        return format_cents(invoice.cents("amount_due"), invoice.text("currency_code") or "USD")

    @admin.display(description="dunning")
    def dunning(self, invoice: Invoice) -> str:
        """Tell how far its collection got."""
        return invoice.text("dunning_status") or UNSET

    @admin.display(description="belongs to it")
    def belongings(self, invoice: Invoice) -> SafeString:
        """Link to its PDFs."""
        return lists_about(invoice)


@admin.register(Transaction)
class TransactionAdmin(OwnedAdmin, ExportedAdmin):
    """Payments, and attempts at one."""

    list_display = ("provider_id", "account_page", "kind", "amount", "made_at", "outcome", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id", "customer__provider_id", "customer__email")
    fields = (
        "provider_id",
        "account_page",
        "customer_page",
        "kind",
        "amount",
        "made_at",
        "outcome",
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
    def kind(self, transaction: Transaction) -> str:
        """Tell what it was and by what means."""
        return f"{transaction.text('type')} by {transaction.text('payment_method')}"

    @admin.display(description="amount")
    def amount(self, transaction: Transaction) -> str:
        """Tell the amount."""
        return format_cents(transaction.cents("amount"), transaction.text("currency_code") or "USD")

    @admin.display(description="made at")
    def made_at(self, transaction: Transaction) -> str:
        """Tell when it was made."""
        return when(transaction.instant("date"))

    @admin.display(description="outcome")
    def outcome(self, transaction: Transaction) -> str:
        """Tell how it ended, with the provider's code for a failure."""
        return f"{transaction.text('status')} {transaction.text('error_code')}".strip()
