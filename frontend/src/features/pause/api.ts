import { queryOptions } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { PauseAnswer, PauseEstimate, PauseOffer } from '@/lib/api/types';
import { get, post } from '@/lib/http';

/** How long a pause lasts. */
export const PAUSE_DAYS = 30;

/**
 * When a pause of each subscription that can be paused would start and end; 409 when none can. Asked
 * anew by each visit, and outside the account's branch: right after a pause there may be none left.
 */
export const pauseEstimateOptions = queryOptions({
  queryKey: ['pause-estimate', PAUSE_DAYS],
  queryFn: ({ signal }) =>
    get<PauseEstimate>('/api/account/pause/estimate', { query: { days: PAUSE_DAYS }, signal }),
  staleTime: 0,
  gcTime: 0,
});

/** What each subscribed service shows to somebody about to leave. */
export const pauseOfferOptions = queryOptions({
  queryKey: [...keys.account.all, 'pause-offer'],
  queryFn: ({ signal }) => get<PauseOffer[]>('/api/account/pause-offer', { signal }),
});

/** Pauses these subscriptions at the end of their terms; for none named, all that can be paused. */
export function pause(ids: readonly string[], idempotencyKey: string): Promise<PauseAnswer> {
  if (ids.length === 0) {
    return post<PauseAnswer>('/api/account/pause', { query: { days: PAUSE_DAYS }, idempotencyKey });
  }
  return post<PauseAnswer>('/api/account/subscriptions/multiple-pause', {
    body: { subscriptionId: ids },
    idempotencyKey,
  });
}
