import { queryOptions } from '@tanstack/react-query';
import { getJson } from '@/lib/api/http';
import { queryKeys } from '@/lib/api/queries';
import type { PauseOffer } from '@/lib/api/types';

/** The titles that each subscribed service shows to a subscriber about to leave. */
export const pauseOfferOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'pause-offer'],
  queryFn: ({ signal }) => getJson<PauseOffer[]>('/api/account/pause-offer', { signal }),
});
