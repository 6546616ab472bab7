import { Skeleton } from './Skeleton';
import styles from './SkeletonFields.module.css';

/** A placeholder for a form with some fields and a button. */
export function SkeletonFields({ fields }: { fields: number }) {
  return (
    <div className={styles.fields}>
      {[...Array(fields).keys()].map((field) => (
        <div key={field} className={styles.field}>
          <Skeleton width="8rem" height="1.5rem" />
          <Skeleton height="3.25rem" radius="box" />
        </div>
      ))}
      <Skeleton height="2.75rem" radius="pill" />
    </div>
  );
}
