import { canBeCancelled, canChangePeriod, willBill } from '@/domain/plans/plans';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { TicketIcon } from '@/ui/icons/TicketIcon';
import { Card } from '@/ui/layout/Card';
import { LinkList } from '@/ui/navigation/LinkList';

/** Links to other changes, each only if it is possible; nothing if none is. */
export function OtherChanges({ plans }: { plans: readonly Plan[] }) {
  const canChangeAny = (action: 'upgrade' | 'downgrade') =>
    plans.some((plan) => canChangePeriod(plan, action));
  const links = [
    ...(canChangeAny('upgrade')
      ? [{ to: paths.upgrade, label: 'Upgrade to annual billing', icon: <CalendarIcon /> }]
      : []),
    ...(canChangeAny('downgrade')
      ? [{ to: paths.downgrade, label: 'Downgrade to monthly billing', icon: <CalendarIcon /> }]
      : []),
    ...(plans.some(willBill)
      ? [{ to: paths.coupon, label: 'Redeem your code', icon: <TicketIcon /> }]
      : []),
    ...(plans.some(canBeCancelled)
      ? [{ to: paths.cancelAll, label: 'Cancel Subscriptions', icon: <CloseIcon /> }]
      : []),
  ];
  if (links.length === 0) return null;
  return (
    <Card as="section" labelledBy="other-changes" className={styles.panel}>
      <h2 id="other-changes">Change your billing</h2>
      <LinkList links={links} />
    </Card>
  );
}
