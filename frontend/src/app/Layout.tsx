import { useQuery } from '@tanstack/react-query';
import { Outlet } from 'react-router-dom';

import { paymentFailureOptions } from '@/lib/api/queries';
import { useAuth } from '@/stores/auth';
import { useLoadingFlag } from '@/stores/loader';
import { AlertSlot } from './AlertSlot';
import { ConnectionNotice } from './ConnectionNotice';
import { Footer } from './Footer';
import { Header } from './Header';
import styles from './Layout.module.css';
import { PaymentFailureBanner } from './PaymentFailureBanner';

/** Header, notices, the screen and footer. */
export function Layout() {
  const signedIn = useAuth(({ token }) => token !== null);
  return (
    <div className={styles.layout}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <Header />
      {signedIn && <PaymentFailureBanner />}
      <main id="content" className={styles.content}>
        <ConnectionNotice />
        <AlertSlot />
        {signedIn ? <ScreenBelowBanner /> : <Outlet />}
      </main>
      <Footer />
    </div>
  );
}

/** The screen, once it is known whether a banner stands above it: one that came later would push it down. */
function ScreenBelowBanner() {
  const { isPending, fetchStatus } = useQuery(paymentFailureOptions);
  const isAwaited = isPending && fetchStatus === 'fetching';
  useLoadingFlag(isAwaited);
  return isAwaited ? null : <Outlet />;
}
