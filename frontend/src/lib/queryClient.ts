import { QueryClient } from '@tanstack/react-query';

import { ApiError } from '@/lib/errors';

const READ_REPEATS = 2;

/** A read is repeated only where that can help: no response, or a server in trouble. */
function mayHelpToRepeat(failures: number, error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  return failures < READ_REPEATS && (error.status === -1 || error.status >= 500);
}

/** Reads are kept fresh for half a minute; a change is never sent twice by itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: mayHelpToRepeat, staleTime: 30_000 },
      mutations: { retry: 0 },
    },
  });
}
