import type { UseQueryResult } from '@tanstack/react-query';
import { useLoadingFlag } from '@/stores/loader';
import { errorMessage } from './errors';

/** The props of `ErrorState` for a failed query. */
export interface LoadFailure {
  message: string;
  onRetry: () => void;
  retrying: boolean;
}

type QueryRead = Pick<UseQueryResult, 'data' | 'error' | 'isError' | 'isPending' | 'isFetching'> & {
  refetch: () => unknown;
};

/** The failure of required queries; null while they are loading or have data. */
export function findLoadFailure(...reads: QueryRead[]): LoadFailure | null {
  const failed = reads.filter(({ data, isError }) => isError && data === undefined);
  if (failed.length === 0) return null;
  return {
    message: errorMessage(failed[0]?.error),
    onRetry: () => {
      for (const read of failed) void read.refetch();
    },
    retrying: failed.some(({ isFetching }) => isFetching),
  };
}

/** Shows the 'Loading' overlay during a screen's first load, and returns its failure, if any. */
export function useScreenLoad(...reads: QueryRead[]): LoadFailure | null {
  const failure = findLoadFailure(...reads);
  useLoadingFlag(
    failure === null && reads.some(({ isPending, isFetching }) => isPending && isFetching),
  );
  return failure;
}
