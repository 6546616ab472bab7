import { queryOptions } from '@tanstack/react-query';
import { getJson, postJson } from '@/lib/api/http';
import type { PlansAnswer, ResumeEstimate } from '@/lib/api/types';

/**
 * The charge for resuming a paused subscription now. Never cached, because it is a quote, and
 * outside the account's query branch, so that changes of the account do not refetch it.
 */
export function resumeEstimateOptions(subId: string) {
  return queryOptions({
    queryKey: ['resume-estimate', subId],
    queryFn: ({ signal }) =>
      getJson<ResumeEstimate>('/api/account/resume/estimate', {
        query: { subscriptionId: [subId] },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/**
 * Resumes a subscription now for the quoted amount. Throws `quote_changed` with the new figures.
 */
export function resumeSubscription(
  { subId, quote }: { subId: string; quote: string },
  idempotencyKey: string,
): Promise<PlansAnswer> {
  return postJson<PlansAnswer>('/api/account/resume', {
    body: { subscriptionId: [subId], quote },
    idempotencyKey,
  });
}
