import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { getJson } from '@/lib/api/http';
import { queryKeys } from '@/lib/api/queries';
import type { Activity, SentMail } from '@/lib/api/types';

const PAGE_SIZE = 5;

interface ActivityPage {
  entries: Activity[];
  hasMore: boolean;
}

/** Requests one entry more than a page, to know whether there are more. */
async function fetchPage(offset: number, signal: AbortSignal): Promise<ActivityPage> {
  const query = { limit: PAGE_SIZE + 1, offset };
  const entries = await getJson<Activity[]>('/api/account/activity', { query, signal });
  return { entries: entries.slice(0, PAGE_SIZE), hasMore: entries.length > PAGE_SIZE };
}

/** The account's activity, newest first, a page at a time. */
export const activityOptions = infiniteQueryOptions({
  queryKey: [...queryKeys.account.all, 'activity'],
  queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
  initialPageParam: 0,
  getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length * PAGE_SIZE : undefined),
});

/** A mail that the activity names. It never changes. */
export const sentMailOptions = (mailId: number) =>
  queryOptions({
    queryKey: [...queryKeys.account.all, 'mail', mailId],
    queryFn: ({ signal }) => getJson<SentMail>(`/api/account/mails/${mailId}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Display names of the actors. */
export const ACTORS: Record<Activity['actor'], string> = {
  you: 'You',
  support: 'Customer Service',
  system: 'Automatic',
};
