import type { ReactNode } from 'react';

import { BorderLink } from '@/ui/BorderLink';
import { ChevronRightIcon } from '@/ui/icons/ChevronRightIcon';
import styles from '@/ui/LinkList.module.css';

export interface ListedLink {
  to: string;
  label: string;
  icon: ReactNode;
}

/** Ways to other screens, one under the other, each as wide as its column. */
export function LinkList({ links }: { links: readonly ListedLink[] }) {
  return (
    <ul className={styles.list}>
      {links.map(({ to, label, icon }) => (
        <li key={to}>
          <BorderLink to={to} className={styles.link}>
            <span className={styles.icon}>{icon}</span>
            <span className={styles.label}>{label}</span>
            <ChevronRightIcon />
          </BorderLink>
        </li>
      ))}
    </ul>
  );
}
