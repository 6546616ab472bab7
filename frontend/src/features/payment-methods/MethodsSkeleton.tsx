import { Card } from '@/ui/Card';
import { Skeleton } from '@/ui/Skeleton';
import styles from './PaymentMethodsPage.module.css';

/** The list on its way, in its shape. */
export function MethodsSkeleton() {
  return (
    <Card className={styles.card}>
      <Skeleton width="60%" height="2rem" />
      <Skeleton height="5rem" radius="box" />
      <Skeleton height="5rem" radius="box" />
      <Skeleton height="2.75rem" radius="pill" />
    </Card>
  );
}
