import type { ReactNode } from 'react';

import styles from './Points.module.css';

/** A list of `Point`s. */
export function Points({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className={styles.points}>
      {children}
    </ul>
  );
}

/** A list item with an icon. */
export function Point({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li>
      <span className={styles.icon}>{icon}</span>
      <p>{children}</p>
    </li>
  );
}
