import { RefusalMessage } from '@/domain/changes/RefusalMessage';
import { ApiError } from '@/lib/api/errors';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { InfoAlert } from '@/ui/feedback/InfoAlert';

/** The query for a change's estimate. */
export type Estimate = Parameters<typeof findLoadFailure>[0];

/**
 * Why an estimate failed: the server's message for a refusal, otherwise an error with a retry
 * button.
 */
export function EstimateFailure({ estimate }: { estimate: Estimate }) {
  const { error, isFetching } = estimate;
  if (error instanceof ApiError && error.status >= 400 && error.status < 429) {
    return (
      <InfoAlert tone="error">
        <RefusalMessage error={error} />
      </InfoAlert>
    );
  }
  const failure = findLoadFailure({ ...estimate, data: undefined });
  return failure && <ErrorState {...failure} retrying={isFetching} />;
}
