import { queryOptions } from '@tanstack/react-query';

import type { PlansAnswer, ResumeEstimate } from '@/lib/api/types';
import { get, post } from '@/lib/http';

/**
 * What resuming one paused subscription now would charge. Asked anew each time, since it is a quote;
 * and outside the account's branch, since a change of the account must not ask for it again.
 */
export function resumeEstimateOptions(subId: string) {
  return queryOptions({
    queryKey: ['resume-estimate', subId],
    queryFn: ({ signal }) =>
      get<ResumeEstimate>('/api/account/resume/estimate', {
        query: { subscriptionId: [subId] },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Resumes one subscription now for the quoted amount. Throws `quote_changed` with the new figures. */
export function resume(
  { subId, quote }: { subId: string; quote: string },
  idempotencyKey: string,
): Promise<PlansAnswer> {
  return post<PlansAnswer>('/api/account/resume', {
    body: { subscriptionId: [subId], quote },
    idempotencyKey,
  });
}
