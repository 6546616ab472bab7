import type { Plan } from '@/lib/api/types';
import { Dated } from '@/ui/Dated';
import styles from './Obstacles.module.css';
import { pauseObstacle } from './pauseObstacle';

/** Why each of these plans cannot be paused now; nothing where there is none. */
export function Obstacles({ plans }: { plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <ul aria-label="Cannot be paused now" className={styles.obstacles}>
      {plans.map((plan) => (
        <li key={plan.subId}>
          <Dated>{pauseObstacle(plan)}</Dated>
        </li>
      ))}
    </ul>
  );
}
