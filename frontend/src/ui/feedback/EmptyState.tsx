import type { ReactNode } from 'react';
import styles from './StatePanel.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title?: string;
  children: ReactNode;
  /** The button or link to continue. */
  action?: ReactNode;
}

/** What would be shown here, and how to continue. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      {icon && <span className={styles.icon}>{icon}</span>}
      {title && <p className={styles.title}>{title}</p>}
      <p className={styles.text}>{children}</p>
      {action}
    </div>
  );
}
