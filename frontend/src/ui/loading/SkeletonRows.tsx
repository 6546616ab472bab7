import { Skeleton } from './Skeleton';
import styles from './SkeletonRows.module.css';

/** A placeholder for rows of text with a value at the end. */
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
