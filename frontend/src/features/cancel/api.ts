import { queryOptions } from '@tanstack/react-query';

import type { CancelAnswer, ServicesChange } from '@/lib/api/types';
import { post } from '@/lib/http';
import type { Answers } from './survey';

/** What is sent with a cancellation: the subscriptions, the answers, and the offer that was on the screen. */
export interface CancelOrder extends Partial<Answers> {
  /** None stands for everything that can be cancelled. */
  subscriptionIds: readonly string[];
  offer?: string;
}

/** Cancels. Throws `cancel_disabled`, `invalid_state`, `billing_partial` with the plans as they then are. */
export function cancel(
  { subscriptionIds, ...survey }: CancelOrder,
  idempotencyKey: string,
): Promise<CancelAnswer> {
  if (subscriptionIds.length === 0) {
    return post<CancelAnswer>('/api/account/cancel', { body: survey, idempotencyKey });
  }
  return post<CancelAnswer>('/api/account/subscriptions/cancel', {
    body: { ...survey, subscriptionIds },
    idempotencyKey,
  });
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
