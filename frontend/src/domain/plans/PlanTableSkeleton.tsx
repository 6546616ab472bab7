import { Skeleton } from '@/ui/loading/Skeleton';
import styles from './PlanTableSkeleton.module.css';

/** The placeholder for a `PlanTable` with two plans. */
export function PlanTableSkeleton() {
  return (
    <div className={styles.rows}>
      {['first', 'second'].map((row) => (
        <div key={row} className={styles.row}>
          <Skeleton width="3rem" height="3rem" radius="box" />
          <div className={styles.text}>
            <Skeleton width="9rem" />
            <Skeleton width="14rem" height="0.875em" />
          </div>
          <Skeleton width="4rem" />
        </div>
      ))}
      <Skeleton height="2.5rem" />
    </div>
  );
}
