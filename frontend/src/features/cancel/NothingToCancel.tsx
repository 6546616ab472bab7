import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { billsBeforeEnd, canBeCancelled, planNotes } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { Card } from '@/ui/layout/Card';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './NothingToCancel.module.css';

/** Shown if none of the selected plans can be canceled: why, and where to go next. */
export function NothingToCancel({ held }: { held: readonly Plan[] }) {
  const hasOthers = held.some(canBeCancelled);
  const overdue = useOverdueAmount(held);
  return (
    <Card>
      <EmptyState
        icon={<CheckIcon />}
        title="Nothing to cancel"
        action={
          hasOthers ? (
            <ButtonLink to={paths.cancelAll}>See all your subscriptions</ButtonLink>
          ) : (
            <ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>
          )
        }
      >
        <UnbrokenDates>{explanation(held, hasOthers, overdue)}</UnbrokenDates>
      </EmptyState>
      {(held.length > 1 || held.some(billsBeforeEnd)) && !hasOthers && (
        <ul className={styles.endings}>
          {[...new Set(held.flatMap(planNotes))].map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function explanation(held: readonly Plan[], hasOthers: boolean, overdue: string | null): string {
  if (held.length === 0) return 'You don’t have a subscription, so you won’t be billed.';
  if (hasOthers)
    return 'Your selection has ended or is about to end. Your other subscriptions continue.';
  if (held.some(billsBeforeEnd)) return 'Your subscriptions are already set to end.';
  const exception = overdue ? `, except for the ${overdue} you still owe` : '';
  const [plan, ...others] = held;
  if (plan?.cancelAt && others.length === 0) {
    return `${plan.name} ends on ${formatDate(plan.cancelAt)}, and you won’t be billed again${exception}.`;
  }
  return `Your subscriptions are already ending, and you won’t be billed again${exception}.`;
}
