import { canBeCancelled, canBePaused, canChangePeriod, willBill } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { Card } from '@/ui/layout/Card';
import { TextLink } from '@/ui/navigation/TextLink';
import styles from './LinksPanel.module.css';

/** Links to annual and monthly billing, each only if a subscription can change to it. */
function periodLinks(plans: readonly Plan[]): { to: string; label: string }[] {
  const links = [
    { action: 'upgrade', to: paths.upgrade, label: 'Upgrade to annual billing' },
    { action: 'downgrade', to: paths.downgrade, label: 'Downgrade to monthly billing' },
  ] as const;
  return links.filter(({ action }) => plans.some((plan) => canChangePeriod(plan, action)));
}

/**
 * What can be changed for all subscriptions, each only if there is something to do; nothing if that
 * is only what the navigation leads to, as it does to all areas of the account.
 */
export function LinksPanel({ plans }: { plans: readonly Plan[] }) {
  const links = [
    ...periodLinks(plans),
    ...(plans.some(willBill) ? [{ to: paths.coupon, label: 'Redeem your code' }] : []),
    ...(plans.some(canBePaused) ? [{ to: paths.pauseOffer, label: 'Pause' }] : []),
    ...(plans.some(canBeCancelled) ? [{ to: paths.cancelAll, label: 'Cancel Subscriptions' }] : []),
  ];
  if (links.length === 0) return null;
  return (
    <Card as="section" labelledBy="ways" className={styles.panel}>
      <h2 id="ways">Make a change</h2>
      <ul className={styles.links}>
        <li>
          <TextLink to={paths.manageSubscription}>Manage Subscriptions</TextLink>
        </li>
        {links.map(({ to, label }) => (
          <li key={to}>
            <TextLink to={to}>{label}</TextLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
