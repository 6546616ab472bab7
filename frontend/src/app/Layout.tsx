import { Outlet } from 'react-router-dom';

import { AlertSlot } from '@/app/AlertSlot';
import { Footer } from '@/app/Footer';
import { Header } from '@/app/Header';
import styles from '@/app/Layout.module.css';
import { PaymentFailureBanner } from '@/app/PaymentFailureBanner';
import { useAuth } from '@/stores/auth';

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
      <main id="content" tabIndex={-1} className={styles.content}>
        <AlertSlot />
        <Outlet />
      </main>
      <Footer />
    </div>
  );
}
