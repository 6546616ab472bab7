import { onlineManager, QueryClient } from '@tanstack/react-query';

import { ApiError } from '@/lib/errors';

const READ_REPEATS = 2;

/** A read is repeated only where that can help: no response on a line that is up, or a server in trouble. */
function mayHelpToRepeat(failures: number, error: Error): boolean {
  if (!(error instanceof ApiError) || !onlineManager.isOnline()) return false;
  return failures < READ_REPEATS && (error.status === -1 || error.status >= 500);
}

/**
 * Reads are kept fresh for half a minute; a change is never sent twice by itself. Without a connection both
 * fail and say so: what is not paid now is not paid later either, when the connection happens to be back.
 * Only reads follow by themselves then.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: mayHelpToRepeat,
        staleTime: 30_000,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: 0, networkMode: 'always' },
    },
  });
}
