import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canBePaused } from '@/lib/plans';
import { Card } from '@/ui/Card';
import { PauseIcon, PlayIcon, ReceiptIcon } from '@/ui/icons/icons';
import { LinkList } from '@/ui/LinkList';
import styles from './Panel.module.css';

/** The ways to the other screens; to the pause only where something can be paused. */
export function Ways({ plans }: { plans: readonly Plan[] }) {
  const ways = [
    { to: paths.manageSubscription, label: 'Manage Subscriptions', icon: <PlayIcon /> },
    ...(plans.some(canBePaused)
      ? [{ to: paths.pauseOffer, label: 'Pause', icon: <PauseIcon /> }]
      : []),
    { to: paths.billingHistory, label: 'Billing History', icon: <ReceiptIcon /> },
  ];
  return (
    <Card as="section" labelledBy="ways" className={styles.panel}>
      <h2 id="ways">Your account</h2>
      <LinkList links={ways} />
    </Card>
  );
}
