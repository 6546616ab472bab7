import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from './Timeline.module.css';

export interface TimelineItem {
  key: string;
  /** The formatted date, if there is one. */
  date?: string;
  dateTime?: string;
  title: ReactNode;
  detail?: ReactNode;
  /** A button to undo the event or to act on it. */
  action?: ReactNode;
  tone?: 'plain' | 'primary' | 'warning';
}

/** A list of upcoming events, soonest first, with dates and actions. */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }) {
  return (
    <ol aria-label={label} className={styles.timeline}>
      {items.map(({ key, date, dateTime, title, detail, action, tone = 'plain' }) => (
        <li key={key} className={classNames(styles.item, styles[tone])}>
          <div className={styles.text}>
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
