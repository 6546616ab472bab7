import type { UseQueryResult } from '@tanstack/react-query';

import { messageOf } from '@/lib/errors';
import { useLoadingFlag } from '@/stores/loader';

/** What `ErrorState` needs to know of a read that failed. */
export interface LoadFailure {
  message: string;
  onRetry: () => void;
  retrying: boolean;
}

type Read = Pick<UseQueryResult, 'data' | 'error' | 'isError' | 'isPending' | 'isFetching'> & {
  refetch: () => unknown;
};

/** What failed of the reads that a part cannot be drawn without; null while there is hope or data. */
export function loadFailure(...reads: Read[]): LoadFailure | null {
  const failed = reads.filter(({ data, isError }) => isError && data === undefined);
  if (failed.length === 0) return null;
  return {
    message: messageOf(failed[0]?.error),
    onRetry: () => {
      for (const read of failed) void read.refetch();
    },
    retrying: failed.some(({ isFetching }) => isFetching),
  };
}

/** A screen's first load, under the 'Loading' overlay: what failed of it, if anything did. */
export function useScreenLoad(...reads: Read[]): LoadFailure | null {
  const failure = loadFailure(...reads);
  useLoadingFlag(
    failure === null && reads.some(({ isPending, isFetching }) => isPending && isFetching),
  );
  return failure;
}
