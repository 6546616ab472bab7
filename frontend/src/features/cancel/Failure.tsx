import type { Plan } from '@/lib/api/types';
import { CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { namesOf } from '@/lib/plans';
import { InfoAlert } from '@/ui/InfoAlert';

interface FailureProps {
  error: Error;
  /** What was done all the same. */
  done?: readonly Plan[];
}

/** Why something was not done; a change still being confirmed is no failure, and is not called one. */
export function Failure({ error, done = [] }: FailureProps) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  return (
    <InfoAlert tone="error">
      <p>{messageOf(error)}</p>
      {done.length > 0 && (
        <p>
          {namesOf(done)} {done.length === 1 ? 'has' : 'have'} been cancelled. Press the button
          again to cancel the rest.
        </p>
      )}
    </InfoAlert>
  );
}
