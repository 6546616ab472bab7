import { queryOptions } from '@tanstack/react-query';
import { postJson } from '@/lib/api/http';
import type { CancelAnswer, ServicesChange } from '@/lib/api/types';
import type { SurveyAnswers } from './surveyQuestions';

/**
 * The body of a cancellation: the subscriptions, the survey's answers, and the offer that was
 * shown.
 */
export interface CancelRequest extends Partial<SurveyAnswers> {
  /** The subscriptions that the screen showed, without those started meanwhile in another tab. */
  subscriptionIds: readonly string[];
  offer?: string;
}

/**
 * Cancels subscriptions. Throws `cancel_disabled`, `invalid_state`, or `billing_partial` with the
 * updated plans.
 */
export function cancelSubscriptions(
  request: CancelRequest,
  idempotencyKey: string,
): Promise<CancelAnswer> {
  return postJson<CancelAnswer>('/api/account/subscriptions/cancel', {
    body: request,
    idempotencyKey,
  });
}

/**
 * The cost of the remaining plans once the others have ended. Never cached, because it is a quote.
 */
export function remainingCostsOptions(planIds: readonly string[]) {
  return queryOptions({
    queryKey: ['remaining-costs', planIds],
    queryFn: ({ signal }) =>
      postJson<ServicesChange>('/api/account/add-remove-service/estimate', {
        body: { planIds },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
