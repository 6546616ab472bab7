import type { Plan } from '@/lib/api/types';
import { formatShortDate } from '@/lib/formats';
import { Card } from '@/ui/Card';
import styles from './Panel.module.css';

/** What one held once. */
export function EndedSubscriptions({ plans }: { plans: readonly Plan[] }) {
  return (
    <Card as="section" labelledBy="ended" className={styles.panel}>
      <h2 id="ended">Ended subscriptions</h2>
      <ul className={styles.rows}>
        {plans.map(({ subId, name, cancelAt }) => (
          <li key={subId} className={styles.row}>
            <span>{name}</span>
            {cancelAt && (
              <span className={styles.muted}>
                Ended <time dateTime={cancelAt}>{formatShortDate(cancelAt)}</time>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
