import type { QueryClient } from '@tanstack/react-query';

import { queryKeys } from './queries';

/**
 * Refetches everything of the subscriber, after a change. Reads that are running are older than the
 * change, so they are canceled, first ones too: those `invalidateQueries` would keep, and count what
 * they bring as fresh.
 */
export function refetchAccount(client: QueryClient): void {
  const filters = { queryKey: queryKeys.account.all };
  void client.cancelQueries(filters);
  void client.invalidateQueries(filters);
}
