import { onlineManager, QueryClient } from '@tanstack/react-query';

import { ApiError, isShortWait } from './errors';

/** How often a read that failed is repeated, at most. */
export const READ_REPEATS = 2;

/**
 * Retries a read only if that can help: after no response while online, after a server error, or
 * while the server answers the account's earlier requests.
 */
function shouldRepeatRead(failures: number, error: Error): boolean {
  if (!(error instanceof ApiError) || !onlineManager.isOnline()) return false;
  const mayPass = error.status === -1 || error.status >= 500 || isShortWait(error);
  return failures < READ_REPEATS && mayPass;
}

/**
 * Reads stay fresh for half a minute; mutations are never retried automatically. While offline both
 * fail at once, so that a payment is not sent later by surprise when the connection returns. Only
 * reads are refetched then.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: shouldRepeatRead,
        staleTime: 30_000,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: 0, networkMode: 'always' },
    },
  });
}
