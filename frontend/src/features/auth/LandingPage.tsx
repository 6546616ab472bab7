import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { useAuth } from '@/stores/auth';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { PageHeading } from '@/ui/layout/PageHeading';
import styles from './LandingPage.module.css';
import { SignedInPanel } from './SignedInPanel';
import { SignInCard } from './SignInCard';

const REASONS = [
  { icon: <CalendarIcon />, text: 'See what you pay and when' },
  { icon: <PauseIcon />, text: 'Pause for a month and come back anytime' },
  { icon: <ReceiptIcon />, text: 'Download any invoice' },
];

/** The landing page with the sign-in form. */
export default function LandingPage() {
  const { data: site } = useQuery(siteOptions);
  const { token, ended } = useAuth();
  // A sign-in here navigates away, so only a visitor who arrived signed in is greeted.
  const [cameSignedIn] = useState(token !== null);
  const isSignedIn = cameSignedIn && token !== null;
  const art = site?.brand.heroUrl;
  const brandName = site?.brand.name;
  return (
    <div className={styles.page}>
      {art && (
        <img
          src={art}
          alt=""
          className={styles.art}
          width={1600}
          height={900}
          fetchPriority="high"
        />
      )}
      <div className={styles.welcome}>
        <PageHeading
          title={isSignedIn ? 'You’re signed in' : 'Sign in'}
          lead="Your subscriptions, billing, and invoices in one place."
        >
          Your {brandName && <span className={styles.brand}>{brandName}</span>} account
        </PageHeading>
      </div>
      <div className={styles.way}>
        {ended === 'expired' && (
          <InfoAlert>Your session has ended. Sign in again to continue.</InfoAlert>
        )}
        {isSignedIn ? <SignedInPanel /> : <SignInCard brand={site?.brand} />}
      </div>
      <ul className={styles.reasons}>
        {REASONS.map(({ icon, text }) => (
          <li key={text}>
            <span className={styles.icon}>{icon}</span>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
