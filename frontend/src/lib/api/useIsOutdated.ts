import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';

/**
 * Whether a query's data is older than a change, here or in another tab, and newer data is on its
 * way.
 */
export function useIsOutdated({ isFetching }: UseQueryResult, queryKey: QueryKey): boolean {
  const client = useQueryClient();
  return isFetching && client.getQueryState(queryKey)?.isInvalidated === true;
}
