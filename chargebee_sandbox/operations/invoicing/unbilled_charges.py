"""Operations on unbilled charges."""

from __future__ import annotations

from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import UnbilledCharge


@router.get("unbilled_charge.list", "/unbilled_charges", takes=None)
def list_unbilled_charges(params: Params) -> Body:
    """Return a page of charges that wait for an invoice; on request also those that were voided or invoiced."""
    rows = lists.exclude_deleted(UnbilledCharge.objects.all(), params)
    return lists.list_page(
        rows.filter(body__is_voided=params.boolean("is_voided")),
        params,
        filters={"subscription_id": "string", "customer_id": "string"},
        render=lambda charge: {"unbilled_charge": charge.render_resource()},
        columns={"subscription_id": "subscription_id", "customer_id": "customer_id"},
        also=("include_deleted", "is_voided"),
    )
