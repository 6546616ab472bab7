import { canBeCancelled } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { Card } from '@/ui/layout/Card';
import { CancelInsteadLink } from './CancelInsteadLink';
import styles from './NothingToPause.module.css';
import { PauseObstacles } from './PauseObstacles';

/** Shown if no subscription can be paused: why, and where to go next. */
export function NothingToPause({ held }: { held: readonly Plan[] }) {
  return (
    <Card>
      <EmptyState
        icon={<PauseIcon />}
        title="Nothing to pause right now"
        action={<NextActions held={held} />}
      >
        {held.length === 0
          ? 'You don’t have a subscription, so you won’t be billed.'
          : 'You can pause an active subscription that has nothing else scheduled.'}
      </EmptyState>
      <div className={styles.why}>
        <PauseObstacles plans={held} />
      </div>
    </Card>
  );
}

function NextActions({ held }: { held: readonly Plan[] }) {
  return (
    <div className={styles.actions}>
      <ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>
      {held.some(canBeCancelled) && (
        <CancelInsteadLink>No thanks, continue to cancel</CancelInsteadLink>
      )}
    </div>
  );
}
