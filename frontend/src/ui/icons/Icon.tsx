import type { ReactNode } from 'react';

import styles from '@/ui/icons/Icon.module.css';

/** A line drawing on a grid of 24; decoration, since the words beside it say the same. */
export function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
      className={styles.icon}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}
