"""Find the addresses that several customers have, for system health and the list of customers."""

from django.db import transaction
from django.db.models import Count, Q

from billing.models import Customer, SharedAddress
from billing.queries.customers import SharedAddresses, shared_addresses, with_live_flag


@transaction.atomic
def find_shared_addresses() -> SharedAddresses:
    """Write down the addresses that several customers have; return how many. It reads an index of all addresses."""
    # In two steps, of which the first reads that index alone; the second is about few customers.
    addresses = list(shared_addresses(Customer.objects.all()))
    customers = with_live_flag(Customer.objects.filter(email__in=addresses, deleted=False)).order_by()
    live = customers.values_list("email").annotate(live=Count("pk", filter=Q(has_live=True)))
    found = {email: count > 1 for email, count in live}
    known = dict(SharedAddress.objects.values_list("email", "is_paid_for"))
    SharedAddress.objects.filter(email__in=known.keys() - found.keys()).delete()
    SharedAddress.objects.bulk_create(
        (SharedAddress(email=email, is_paid_for=paid) for email, paid in found.items() if known.get(email) != paid),
        update_conflicts=True,
        unique_fields=["email"],
        update_fields=["is_paid_for"],
    )
    return SharedAddresses(len(found), sum(found.values()))
