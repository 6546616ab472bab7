import { Skeleton } from '@/ui/Skeleton';
import styles from '@/ui/SkeletonRows.module.css';

/** Holds the places of so many rows, each with some words and something at its end. */
export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <div className={styles.rows}>
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className={styles.row}>
          <Skeleton width="45%" />
          <Skeleton width="5rem" />
        </div>
      ))}
    </div>
  );
}
