import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canChangePeriod } from '@/lib/plans';
import { Card } from '@/ui/Card';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { TicketIcon } from '@/ui/icons/TicketIcon';
import { LinkList } from '@/ui/LinkList';
import styles from './subscriptions.module.css';

/** The other ways to change what one pays; each only where there is something to change. */
export function OtherChanges({ plans }: { plans: readonly Plan[] }) {
  const can = (action: 'upgrade' | 'downgrade') =>
    plans.some((plan) => canChangePeriod(plan, action));
  const ways = [
    ...(can('upgrade')
      ? [{ to: paths.upgrade, label: 'Upgrade to annual billing', icon: <CalendarIcon /> }]
      : []),
    ...(can('downgrade')
      ? [{ to: paths.downgrade, label: 'Downgrade to monthly billing', icon: <CalendarIcon /> }]
      : []),
    { to: paths.coupon, label: 'Redeem your code', icon: <TicketIcon /> },
  ];
  return (
    <Card as="section" labelledBy="other-changes" className={styles.panel}>
      <h2 id="other-changes">Change what you pay</h2>
      <LinkList links={ways} />
    </Card>
  );
}
