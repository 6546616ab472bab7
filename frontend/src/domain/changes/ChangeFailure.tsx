import type { ReactNode } from 'react';
import { CONFIRMING_MESSAGE, hasCode, isUnconfirmed } from '@/lib/api/errors';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { RefusalMessage } from './RefusalMessage';

interface ChangeFailureProps {
  error: Error;
  /** What can be done about it, or was done nevertheless. */
  children?: ReactNode;
}

/**
 * Why a change failed. New figures and a change that is still being confirmed are shown as
 * information, not as failures.
 */
export function ChangeFailure({ error, children }: ChangeFailureProps) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  return (
    <InfoAlert tone={hasCode(error, 'quote_changed') ? 'info' : 'error'}>
      <RefusalMessage error={error} />
      {children}
    </InfoAlert>
  );
}
