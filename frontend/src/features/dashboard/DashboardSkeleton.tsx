import subscription from '@/features/dashboard/subscriptions/SubscriptionCard.module.css';
import { Card } from '@/ui/layout/Card';
import { Skeleton } from '@/ui/loading/Skeleton';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import styles from './DashboardPage.module.css';

/** The placeholder for two subscriptions and the panels beside them. */
export function DashboardSkeleton() {
  return (
    <div className={styles.home}>
      <div className={styles.top}>
        <SubscriptionSkeleton />
        <SubscriptionSkeleton />
      </div>
      <div className={styles.side}>
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

/** Picture and name, what comes next, and the two buttons. */
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
