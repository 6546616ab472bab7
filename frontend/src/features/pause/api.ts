import { queryOptions } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { PauseOffer } from '@/lib/api/types';
import { get } from '@/lib/http';

/** What each subscribed service shows to somebody about to leave. */
export const pauseOfferOptions = queryOptions({
  queryKey: [...keys.account.all, 'pause-offer'],
  queryFn: ({ signal }) => get<PauseOffer[]>('/api/account/pause-offer', { signal }),
});
