import { type ReactNode, useId } from 'react';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import styles from './Banner.module.css';

interface BannerProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** A notice about the account above every screen, with an action. */
export function Banner({ title, children, action }: BannerProps) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={styles.banner}>
      <div className={styles.inner}>
        <AlertIcon />
        <div className={styles.text}>
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
