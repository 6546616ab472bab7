import { ApiError } from '@/lib/errors';
import { loadFailure } from '@/lib/screenLoad';
import { InfoAlert } from '@/ui/InfoAlert';
import { ErrorState } from '@/ui/States';
import { RefusalWords } from './RefusalWords';

/** The read of what a change would come to. */
export type Estimate = Parameters<typeof loadFailure>[0];

/** Why a change could not be worked out: a refusal in its own words, anything else with a way to ask again. */
export function EstimateFailure({ estimate }: { estimate: Estimate }) {
  const { error, isFetching } = estimate;
  if (error instanceof ApiError && error.status >= 400 && error.status < 429) {
    return (
      <InfoAlert tone="error">
        <RefusalWords error={error} />
      </InfoAlert>
    );
  }
  const failure = loadFailure({ ...estimate, data: undefined });
  return failure && <ErrorState {...failure} retrying={isFetching} />;
}
