import type { Plan } from '@/lib/api/types';
import { SubscriptionCard } from './SubscriptionCard';
import styles from './Subscriptions.module.css';

/** The current subscriptions, each with what comes next. */
export function Subscriptions({ plans }: { plans: readonly Plan[] }) {
  return (
    <section aria-labelledby="your-subscriptions" className={styles.section}>
      <h2 id="your-subscriptions">Your Subscriptions</h2>
      <ul className={styles.list}>
        {plans.map((plan) => (
          <li key={plan.subId}>
            <SubscriptionCard plan={plan} />
          </li>
        ))}
      </ul>
    </section>
  );
}
