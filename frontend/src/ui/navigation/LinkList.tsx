import type { ReactNode } from 'react';
import { ChevronRightIcon } from '@/ui/icons/ChevronRightIcon';
import { AppLink } from './AppLink';
import styles from './LinkList.module.css';

export interface ListedLink {
  to: string;
  label: string;
  icon: ReactNode;
}

/** A vertical list of full-width links. */
export function LinkList({ links }: { links: readonly ListedLink[] }) {
  return (
    <ul className={styles.list}>
      {links.map(({ to, label, icon }) => (
        <li key={to}>
          <AppLink to={to} className={styles.link}>
            <span className={styles.icon}>{icon}</span>
            <span className={styles.label}>{label}</span>
            <ChevronRightIcon />
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
