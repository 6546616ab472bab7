import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canBeCancelled, canBePaused, canChangePeriod } from '@/lib/plans';
import { Card } from '@/ui/Card';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CardIcon } from '@/ui/icons/CardIcon';
import { CloseIcon } from '@/ui/icons/CloseIcon';
import { MailIcon } from '@/ui/icons/MailIcon';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { PersonIcon } from '@/ui/icons/PersonIcon';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { TicketIcon } from '@/ui/icons/TicketIcon';
import { LinkList, type ListedLink } from '@/ui/LinkList';
import styles from './Panel.module.css';

/** To annual billing and back, each only where a subscription can be changed so. */
function periodWays(plans: readonly Plan[]): ListedLink[] {
  const ways = [
    { action: 'upgrade', to: paths.upgrade, label: 'Upgrade to annual billing' },
    { action: 'downgrade', to: paths.downgrade, label: 'Downgrade to monthly billing' },
  ] as const;
  return ways
    .filter(({ action }) => plans.some((plan) => canChangePeriod(plan, action)))
    .map(({ to, label }) => ({ to, label, icon: <CalendarIcon /> }));
}

/** The ways to the other screens, each only where there is something to do. */
export function Ways({ plans }: { plans: readonly Plan[] }) {
  const ways = [
    { to: paths.manageSubscription, label: 'Manage Subscriptions', icon: <PlayIcon /> },
    ...periodWays(plans),
    { to: paths.coupon, label: 'Redeem your code', icon: <TicketIcon /> },
    ...(plans.some(canBePaused)
      ? [{ to: paths.pauseOffer, label: 'Pause', icon: <PauseIcon /> }]
      : []),
    ...(plans.some(canBeCancelled)
      ? [{ to: paths.cancelAll, label: 'Cancel Subscriptions', icon: <CloseIcon /> }]
      : []),
    { to: paths.paymentMethods, label: 'Payment Methods', icon: <CardIcon /> },
    { to: paths.billingHistory, label: 'Billing History', icon: <ReceiptIcon /> },
    { to: paths.editProfile, label: 'Your Profile', icon: <PersonIcon /> },
    { to: paths.emailPreferences, label: 'Email Preferences', icon: <MailIcon /> },
  ];
  return (
    <Card as="section" labelledBy="ways" className={styles.panel}>
      <h2 id="ways">Your account</h2>
      <LinkList links={ways} />
    </Card>
  );
}
