import { formatPlanNames } from '@/domain/plans/plans';
import { CONFIRMING_MESSAGE, errorMessage, isUnconfirmed } from '@/lib/api/errors';
import type { Plan } from '@/lib/api/types';
import { InfoAlert } from '@/ui/feedback/InfoAlert';

interface FailureNoticeProps {
  error: Error;
  /** The plans that were canceled although the attempt failed. */
  cancelledPlans?: readonly Plan[];
}

/** Why a change failed. A change that is still being confirmed is not shown as a failure. */
export function FailureNotice({ error, cancelledPlans = [] }: FailureNoticeProps) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  return (
    <InfoAlert tone="error">
      <p>{errorMessage(error)}</p>
      {cancelledPlans.length > 0 && (
        <p>
          {formatPlanNames(cancelledPlans)} {cancelledPlans.length === 1 ? 'has' : 'have'} been
          canceled. Press the button again to cancel the rest.
        </p>
      )}
    </InfoAlert>
  );
}
