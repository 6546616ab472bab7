import { Skeleton } from '@/ui/Skeleton';
import styles from '@/ui/SkeletonFields.module.css';

/** Holds the place of a form: so many fields, each under its label, and the button. */
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
