import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canBeCancelled, planNotes } from '@/lib/plans';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { EmptyState } from '@/ui/States';
import styles from './NothingToCancel.module.css';

/** Where nothing that the address is about can be cancelled: why, and the way on. */
export function NothingToCancel({ held }: { held: readonly Plan[] }) {
  const others = held.some(canBeCancelled);
  return (
    <Card>
      <EmptyState
        icon={<CheckIcon />}
        title="There is nothing left to cancel"
        action={
          others ? (
            <ButtonLink to={paths.cancelAll}>See all your subscriptions</ButtonLink>
          ) : (
            <ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>
          )
        }
      >
        {words(held, others)}
      </EmptyState>
      {held.length > 0 && !others && (
        <ul className={styles.endings}>
          {held.flatMap(planNotes).map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function words(held: readonly Plan[], others: boolean): string {
  if (held.length === 0)
    return 'You have no subscription at the moment, so nothing will be billed.';
  if (others) return 'What you chose has ended or is about to end. Your other subscriptions go on.';
  return 'Your subscriptions end by themselves, and nothing more will be billed.';
}
