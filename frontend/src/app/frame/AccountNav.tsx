import type { ReactNode } from 'react';
import { matchPath, useLocation } from 'react-router-dom';
import { pageAllowsProviderScript } from '@/lib/page/pageSettings';
import { paths } from '@/lib/paths';
import { classNames } from '@/ui/classNames';
import { CardIcon } from '@/ui/icons/CardIcon';
import { HomeIcon } from '@/ui/icons/HomeIcon';
import { MailIcon } from '@/ui/icons/MailIcon';
import { PersonIcon } from '@/ui/icons/PersonIcon';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { AppLink } from '@/ui/navigation/AppLink';
import styles from './AccountNav.module.css';

interface Area {
  label: string;
  to: string;
  icon: ReactNode;
  /** The other screens of the area. */
  others?: readonly string[];
}

const AREAS: readonly Area[] = [
  { label: 'Home', to: paths.dashboard, icon: <HomeIcon /> },
  {
    label: 'Subscriptions',
    to: paths.manageSubscription,
    icon: <PlayIcon />,
    others: [
      paths.upgrade,
      paths.downgrade,
      paths.summary,
      paths.coupon,
      paths.pauseOffer,
      paths.pauseSummary,
      paths.cancelAll,
    ],
  },
  {
    label: 'Payments',
    to: paths.paymentMethods,
    icon: <CardIcon />,
    others: [
      paths.addPaymentMethod,
      paths.addCard,
      paths.updateCard,
      paths.payPal,
      paths.paymentMethodAdded,
    ],
  },
  { label: 'Invoices', to: paths.billingHistory, icon: <ReceiptIcon /> },
  { label: 'Profile', to: paths.editProfile, icon: <PersonIcon /> },
  {
    label: 'Emails',
    to: paths.emailPreferences,
    icon: <MailIcon />,
    others: [paths.emailConfirm],
  },
];

/** `page` on the area's own screen, true on its others. */
function currentMark({ to, others = [] }: Area, pathname: string): 'page' | true | undefined {
  if (matchPath(to, pathname)) return 'page';
  return others.some((path) => matchPath(path, pathname)) || undefined;
}

/**
 * Links to the areas of the account: a row under the header, and on a phone a bar at the bottom. On
 * a phone it is hidden where card details are entered, because the keyboard and the bank's frame
 * need the room.
 */
export function AccountNav() {
  const { pathname } = useLocation();
  return (
    <nav
      aria-label="Your account"
      className={classNames(styles.nav, pageAllowsProviderScript() ? styles.rowOnly : styles.bar)}
    >
      <ul className={styles.areas}>
        {AREAS.map((area) => (
          <li key={area.to}>
            <AppLink
              to={area.to}
              aria-current={currentMark(area, pathname)}
              className={styles.area}
            >
              {area.icon}
              <span className={styles.label}>{area.label}</span>
            </AppLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
