import { canBeCancelled, canBePaused, canChangePeriod } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
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

/** Links to annual and monthly billing, each only if a subscription can change to it. */
function periodLinks(plans: readonly Plan[]): ListedLink[] {
  const links = [
    { action: 'upgrade', to: paths.upgrade, label: 'Upgrade to annual billing' },
    { action: 'downgrade', to: paths.downgrade, label: 'Downgrade to monthly billing' },
  ] as const;
  return links
    .filter(({ action }) => plans.some((plan) => canChangePeriod(plan, action)))
    .map(({ to, label }) => ({ to, label, icon: <CalendarIcon /> }));
}

/** Links to the other screens, each only if there is something to do. */
export function LinksPanel({ plans }: { plans: readonly Plan[] }) {
  const links = [
    { to: paths.manageSubscription, label: 'Manage Subscriptions', icon: <PlayIcon /> },
    ...periodLinks(plans),
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
      <LinkList links={links} />
    </Card>
  );
}
