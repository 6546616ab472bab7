import { Outlet } from 'react-router-dom';
import { useAuth } from '@/stores/auth';
import { AlertSlot } from './AlertSlot';
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
        <AlertSlot />
        <Outlet />
      </main>
      <Footer />
    </div>
  );
}
