import { Card } from '@/ui/Card';
import { Skeleton } from '@/ui/Skeleton';
import { SkeletonRows } from '@/ui/SkeletonRows';
import styles from './DashboardPage.module.css';
import subscription from './SubscriptionCard.module.css';

/** Holds the places of two subscriptions and what stands beside them. */
export function DashboardSkeleton() {
  return (
    <div className={styles.home}>
      <div className={styles.column}>
        <SubscriptionSkeleton />
        <SubscriptionSkeleton />
      </div>
      <div className={styles.column}>
        <Card>
          <SkeletonRows rows={3} />
        </Card>
        <Card>
          <SkeletonRows rows={3} />
        </Card>
      </div>
    </div>
  );
}

/** Picture and name, what comes next, the two ways out. */
function SubscriptionSkeleton() {
  return (
    <Card className={subscription.card}>
      <div className={subscription.head}>
        <Skeleton width="4.5rem" height="4.5rem" radius="box" />
        <Skeleton width="10rem" height="1.5rem" />
      </div>
      <Skeleton width="14rem" height="3rem" />
      <div className={subscription.leaving}>
        <Skeleton width="7.5rem" height="2.75rem" radius="pill" />
        <Skeleton width="7.5rem" height="2.75rem" radius="pill" />
      </div>
    </Card>
  );
}
