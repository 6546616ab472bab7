import { Card } from '@/ui/Card';
import { Skeleton } from '@/ui/Skeleton';
import { SkeletonRows } from '@/ui/SkeletonRows';
import styles from './PaymentMethodsPage.module.css';

/** The list on its way, in its shape. */
export function MethodsSkeleton() {
  return (
    <Card className={styles.card}>
      <Skeleton width="60%" height="2rem" />
      <SkeletonRows rows={2} />
      <Skeleton height="2.75rem" radius="pill" />
    </Card>
  );
}
