import type { ReactNode } from 'react';
import type { PlanOrder } from '@/domain/plans/planAddresses';
import { changeFailureMessage, hasCode, isUnconfirmed } from '@/lib/api/errors';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { RefusalMessage } from './RefusalMessage';

interface ChangeFailureProps {
  error: Error;
  /** The plans that the change adds. */
  order?: PlanOrder;
  /** What can be done about it, or was done nevertheless. */
  children?: ReactNode;
}

/**
 * Why a change failed. New figures and a change that is still being confirmed are shown as
 * information, not as failures.
 */
export function ChangeFailure({ error, order, children }: ChangeFailureProps) {
  const isInfo = isUnconfirmed(error) || hasCode(error, 'quote_changed');
  return (
    <InfoAlert tone={isInfo ? 'info' : 'error'}>
      <RefusalMessage error={error} message={changeFailureMessage(error)} order={order} />
      {!isUnconfirmed(error) && children}
    </InfoAlert>
  );
}
