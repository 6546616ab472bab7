import { queryOptions } from '@tanstack/react-query';

import type { Preview, ServicesChange } from '@/lib/api/types';
import { get, post } from '@/lib/http';
import type { PeriodAction } from '@/lib/plans';

/**
 * Estimates are quotes: asked anew by each visit, and outside the account's branch, since a change of
 * the account must not ask for them again by itself.
 */
const QUOTE = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false } as const;

/** What having exactly these plans from now on would come to; `held` is what the draft began with. */
export function servicesEstimateOptions(held: readonly string[], wanted: readonly string[]) {
  return queryOptions({
    queryKey: ['services-estimate', held, wanted],
    queryFn: ({ signal }) =>
      post<ServicesChange>('/api/account/add-remove-service/estimate', {
        body: { planIds: wanted },
        signal,
      }),
    ...QUOTE,
  });
}

/** What a change of these plans' billing period would come to; for none named, of all that can. */
export function periodEstimateOptions(action: PeriodAction, planIds: readonly string[]) {
  return queryOptions({
    queryKey: ['period-estimate', action, planIds],
    queryFn: ({ signal }) =>
      get<Preview>(`/api/account/${action}/estimate`, { query: { planIds }, signal }),
    ...QUOTE,
  });
}

/** What is sent with a confirmation: the plans, and the figures that were shown. */
export interface Order {
  planIds: readonly string[];
  quote: string;
}

/** Adds and removes services. Throws `quote_changed` with the new figures, `billing_partial`. */
export function changeServices(order: Order, idempotencyKey: string): Promise<ServicesChange> {
  return post<ServicesChange>('/api/account/add-remove-service', { body: order, idempotencyKey });
}

/** Changes the billing period of some plans. Throws as `changeServices`. */
export function changePeriod(
  action: PeriodAction,
  order: Order,
  idempotencyKey: string,
): Promise<Preview> {
  return post<Preview>(`/api/account/${action}`, { body: order, idempotencyKey });
}
