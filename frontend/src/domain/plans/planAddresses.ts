import { addAddress, type SourceKind } from '@/domain/payments/paymentSources';
import type { SoldPeriodUnit } from '@/lib/api/types';
import { paths } from '@/lib/paths';

/**
 * The repeated query parameter with subscription ids. In the URL they survive a reload and going
 * back.
 */
export const IDS_PARAMETER = 'ids';

/** The URL of a screen for these subscriptions; without ids, for all of them. */
export function addressWithIds(path: string, ids: readonly string[]): string {
  return ids.length === 0
    ? path
    : `${path}?${new URLSearchParams(ids.map((id) => [IDS_PARAMETER, id]))}`;
}

/**
 * The query parameters with the plans to add and their billing period. They stay in the URL from the
 * choice of a plan over adding a card to the confirmation, so that a reload, a sign-in and the
 * bank's questions keep the choice.
 */
const ADD_PARAMETER = 'add';
const PERIOD_PARAMETER = 'period';

/** The query parameter that opens the confirmation of the plans to add. */
const CONFIRM_PARAMETER = 'confirm';

/** Plans to add, and how they are billed; null is as the account's other plans. */
export interface PlanOrder {
  planIds: readonly string[];
  periodUnit: SoldPeriodUnit | null;
}

/** The plans to add that a query string names. */
export function readPlanOrder(query: URLSearchParams): PlanOrder {
  return {
    planIds: [...new Set(query.getAll(ADD_PARAMETER))].filter((id) => id !== ''),
    periodUnit: readPeriod(query),
  };
}

/** The billing period that a query string chooses; null without a valid one. */
export function readPeriod(query: URLSearchParams): SoldPeriodUnit | null {
  const period = query.get(PERIOD_PARAMETER);
  return period === 'month' || period === 'year' ? period : null;
}

/** A query string that chooses a billing period. */
export function withPeriod(query: URLSearchParams, periodUnit: SoldPeriodUnit): URLSearchParams {
  const changed = new URLSearchParams(query);
  changed.set(PERIOD_PARAMETER, periodUnit);
  return changed;
}

/** The URL of a screen with a billing period chosen; null chooses none. */
export function addressWithPeriod(path: string, periodUnit: SoldPeriodUnit | null): string {
  return periodUnit ? `${path}?${withPeriod(new URLSearchParams(), periodUnit)}` : path;
}

/** A URL, with the plans to add. */
export function withPlanOrder(address: string, { planIds, periodUnit }: PlanOrder): string {
  if (planIds.length === 0) return address;
  const added = new URLSearchParams(planIds.map((id) => [ADD_PARAMETER, id]));
  const order = periodUnit ? withPeriod(added, periodUnit) : added;
  return `${address}${address.includes('?') ? '&' : '?'}${order}`;
}

/** The URL of the plan screen that asks at once to confirm these plans. */
export function confirmPlansAddress(order: PlanOrder): string {
  return `${withPlanOrder(paths.manageSubscription, order)}&${CONFIRM_PARAMETER}=yes`;
}

/** Whether a query string asks to confirm the plans it names. */
export function asksToConfirmPlans(query: URLSearchParams): boolean {
  return query.has(CONFIRM_PARAMETER);
}

/** A query string that no longer asks to confirm the plans it names. */
export function withoutConfirmation(query: URLSearchParams): URLSearchParams {
  const changed = new URLSearchParams(query);
  changed.delete(CONFIRM_PARAMETER);
  return changed;
}

/** The URL to add a payment method and then confirm these plans. */
export function payForPlansAddress(order: PlanOrder, kind: SourceKind = 'CARD'): string {
  return withPlanOrder(addAddress(kind).to, order);
}
