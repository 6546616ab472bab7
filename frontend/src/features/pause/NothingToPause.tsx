import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canBeCancelled } from '@/lib/plans';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { EmptyState } from '@/ui/States';
import { CancelInstead } from './CancelInstead';
import styles from './NothingToPause.module.css';
import { Obstacles } from './Obstacles';

/** Instead of the banner, where no subscription can be paused: why, and the ways on. */
export function NothingToPause({ held }: { held: readonly Plan[] }) {
  return (
    <Card>
      <EmptyState
        icon={<PauseIcon />}
        title="There is nothing to pause right now"
        action={<Ways held={held} />}
      >
        {held.length === 0
          ? 'You have no subscription at the moment, so nothing will be billed.'
          : 'A subscription can be paused while it is active and nothing else is scheduled for it.'}
      </EmptyState>
      <div className={styles.why}>
        <Obstacles plans={held} />
      </div>
    </Card>
  );
}

function Ways({ held }: { held: readonly Plan[] }) {
  return (
    <div className={styles.ways}>
      <ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>
      {held.some(canBeCancelled) && <CancelInstead>No thanks, continue to cancel</CancelInstead>}
    </div>
  );
}
