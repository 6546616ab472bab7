import type { ReactNode } from 'react';

import styles from '@/ui/Points.module.css';

/** What there is to know, point by point: give it `Point`s. */
export function Points({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className={styles.points}>
      {children}
    </ul>
  );
}

/** One point, with a picture of what it is about. */
export function Point({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li>
      <span className={styles.icon}>{icon}</span>
      <p>{children}</p>
    </li>
  );
}
