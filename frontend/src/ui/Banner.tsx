import { type ReactNode, useId } from 'react';

import styles from '@/ui/Banner.module.css';
import { AlertIcon } from '@/ui/icons/AlertIcon';

interface BannerProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** Something about the whole account that needs the subscriber, above every screen. */
export function Banner({ title, children, action }: BannerProps) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={styles.banner}>
      <div className={styles.inner}>
        <AlertIcon />
        <div className={styles.words}>
          <h2 id={titleId} className={styles.title}>
            {title}
          </h2>
          <p>{children}</p>
        </div>
        {action}
      </div>
    </section>
  );
}
