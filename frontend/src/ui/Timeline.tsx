import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/Timeline.module.css';

export interface TimelineItem {
  key: string;
  /** The date as it is read, and for machines; none for what has no date yet. */
  date?: string;
  dateTime?: string;
  title: ReactNode;
  detail?: ReactNode;
  /** The way to undo it, or to act on it. */
  action?: ReactNode;
  tone?: 'plain' | 'primary' | 'warning';
}

/** What comes next, soonest first, each with its date and its undo. */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }) {
  return (
    <ol aria-label={label} className={styles.timeline}>
      {items.map(({ key, date, dateTime, title, detail, action, tone = 'plain' }) => (
        <li key={key} className={classNames(styles.item, styles[tone])}>
          <div className={styles.words}>
            <p className={styles.title}>{title}</p>
            {date && (
              <p className={styles.date}>
                <time dateTime={dateTime}>{date}</time>
              </p>
            )}
            {detail && <p className={styles.detail}>{detail}</p>}
          </div>
          {action && <div className={styles.action}>{action}</div>}
        </li>
      ))}
    </ol>
  );
}
