import { queryOptions } from '@tanstack/react-query';

import type { CancelAnswer, ServicesChange } from '@/lib/api/types';
import { post } from '@/lib/http';
import type { Answers } from './survey';

/** What is sent with a cancellation: the subscriptions, the answers, and the offer that was on the screen. */
export interface CancelOrder extends Partial<Answers> {
  /** Those that the screen showed: what was begun meanwhile in another tab is not among them. */
  subscriptionIds: readonly string[];
  offer?: string;
}

/** Cancels. Throws `cancel_disabled`, `invalid_state`, `billing_partial` with the plans as they then are. */
export function cancel(order: CancelOrder, idempotencyKey: string): Promise<CancelAnswer> {
  return post<CancelAnswer>('/api/account/subscriptions/cancel', { body: order, idempotencyKey });
}

/** What the plans that stay cost once the others have ended: asked anew each time, since it is a quote. */
export function remainingCostsOptions(planIds: readonly string[]) {
  return queryOptions({
    queryKey: ['remaining-costs', planIds],
    queryFn: ({ signal }) =>
      post<ServicesChange>('/api/account/add-remove-service/estimate', {
        body: { planIds },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
