import { Card } from '@/ui/Card';
import { Skeleton } from '@/ui/Skeleton';
import styles from './DashboardPage.module.css';

/** Holds the places of two subscriptions and what stands beside them. */
export function DashboardSkeleton() {
  return (
    <div className={styles.home}>
      <div className={styles.column}>
        <Card>
          <Skeleton height="11rem" radius="box" />
        </Card>
        <Card>
          <Skeleton height="11rem" radius="box" />
        </Card>
      </div>
      <div className={styles.column}>
        <Card>
          <Skeleton height="9rem" radius="box" />
        </Card>
        <Card>
          <Skeleton height="12rem" radius="box" />
        </Card>
      </div>
    </div>
  );
}
