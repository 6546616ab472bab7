import { queryOptions } from '@tanstack/react-query';
import type { PeriodAction } from '@/domain/plans/plans';
import { getJson, postJson } from '@/lib/api/http';
import type { PeriodEstimate, ServicesChange, SoldPeriodUnit } from '@/lib/api/types';

/**
 * Estimates are quotes: never cached, and outside the account's query branch, so that changes of
 * the account do not refetch them.
 */
const QUOTE_OPTIONS = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false } as const;

/**
 * The estimate for having exactly the wanted plans; `held` are the plans that the draft started
 * from, and `periodUnit` is the billing period of what starts (null: the account's).
 */
export function servicesEstimateOptions(
  held: readonly string[],
  wanted: readonly string[],
  periodUnit: SoldPeriodUnit | null,
) {
  return queryOptions({
    queryKey: ['services-estimate', held, wanted, periodUnit],
    queryFn: ({ signal }) =>
      postJson<ServicesChange>('/api/account/add-remove-service/estimate', {
        body: { planIds: wanted, ...periodField(periodUnit) },
        signal,
      }),
    ...QUOTE_OPTIONS,
  });
}

/**
 * The estimate for changing the billing period of these plans; without ids, of all that can change.
 */
export function periodEstimateOptions(action: PeriodAction, planIds: readonly string[]) {
  return queryOptions({
    queryKey: ['period-estimate', action, planIds],
    queryFn: ({ signal }) =>
      getJson<PeriodEstimate>(`/api/account/${action}/estimate`, { query: { planIds }, signal }),
    ...QUOTE_OPTIONS,
  });
}

/** The field of a request with the chosen billing period of what starts; none if the account's plans set it. */
export function periodField(periodUnit: SoldPeriodUnit | null): { periodUnit?: SoldPeriodUnit } {
  return periodUnit ? { periodUnit } : {};
}

/** The body of a confirmed change: the plans, and the quote that was shown. */
export interface PlanChangeRequest {
  planIds: readonly string[];
  periodUnit?: SoldPeriodUnit;
  quote: string;
}

/** Adds and removes services. Throws `quote_changed` with the new figures, `billing_partial`. */
export function changeServices(
  request: PlanChangeRequest,
  idempotencyKey: string,
): Promise<ServicesChange> {
  return postJson<ServicesChange>('/api/account/add-remove-service', {
    body: request,
    idempotencyKey,
  });
}

/** Changes the billing period of plans. Throws like `changeServices`. */
export function changePeriod(
  action: PeriodAction,
  request: PlanChangeRequest,
  idempotencyKey: string,
): Promise<PeriodEstimate> {
  return postJson<PeriodEstimate>(`/api/account/${action}`, { body: request, idempotencyKey });
}
