import { infiniteQueryOptions } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { Activity } from '@/lib/api/types';
import { get } from '@/lib/http';

const PAGE = 5;

interface ActivityPage {
  entries: Activity[];
  hasMore: boolean;
}

/** One more than is shown is asked for, which tells whether there are more. */
async function page(offset: number, signal: AbortSignal): Promise<ActivityPage> {
  const query = { limit: PAGE + 1, offset };
  const found = await get<Activity[]>('/api/account/activity', { query, signal });
  return { entries: found.slice(0, PAGE), hasMore: found.length > PAGE };
}

/** What was done to the account, newest first, some at a time. */
export const activityOptions = infiniteQueryOptions({
  queryKey: [...keys.account.all, 'activity'],
  queryFn: ({ pageParam, signal }) => page(pageParam, signal),
  initialPageParam: 0,
  getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length * PAGE : undefined),
});

/** Who did it, as the subscriber reads it. */
export const ACTORS: Record<Activity['actor'], string> = {
  you: 'You',
  support: 'Our support team',
  system: 'Automatic',
};
