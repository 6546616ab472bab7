import type { ReactNode } from 'react';

import { ConnectionNotice } from '@/app/notices/ConnectionNotice';
import { Footer } from './Footer';
import styles from './Frame.module.css';
import { Header } from './Header';

interface FrameProps {
  /** The profile menu, beside the logo. */
  menu?: ReactNode;
  /** The links to the areas of the account. */
  nav?: ReactNode;
  /** Between the header and the screen. */
  banner?: ReactNode;
  children: ReactNode;
}

/** Header, notices, the screen and footer. */
export function Frame({ menu, nav, banner, children }: FrameProps) {
  return (
    <div className={styles.layout}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <Header menu={menu} />
      {nav}
      {banner}
      <main id="content" className={styles.content}>
        <ConnectionNotice />
        {children}
      </main>
      <Footer />
    </div>
  );
}
