import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { offersInOrder } from '@/domain/plans/offeredPlans';
import { readPlanOrder } from '@/domain/plans/planAddresses';
import { formatPlanNames } from '@/domain/plans/plans';
import { ServicePicture } from '@/domain/services/ServicePicture';
import { servicePictureUrl } from '@/domain/services/servicePictures';
import { managePlansOptions } from '@/lib/api/queries';
import type { OfferedPlan } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { Card } from '@/ui/layout/Card';
import styles from './OrderSummary.module.css';

/** The plans that the URL asks to add and that are still offered; none without such a URL. */
export function usePlansInOrder(): readonly OfferedPlan[] {
  const [query] = useSearchParams();
  const order = readPlanOrder(query);
  const { data } = useQuery({ ...managePlansOptions, enabled: order.planIds.length > 0 });
  return data ? offersInOrder(data, order) : [];
}

/** What the payment method is added for; nothing unless it is added to start plans. */
export function OrderSummary() {
  const plans = usePlansInOrder();
  if (plans.length === 0) return null;
  return (
    <Card as="section" labelledBy="order" className={styles.order}>
      <h2 id="order">Your order</h2>
      <ul className={styles.plans}>
        {plans.map((plan) => (
          <li key={plan.id} className={styles.plan}>
            <ServicePicture src={servicePictureUrl(plan.service)} />
            <span className={styles.name}>{plan.name}</span>
            <span>{formatPrice(plan.amount, plan)}</span>
          </li>
        ))}
      </ul>
      <p className={styles.next}>
        Next you’ll see what you pay today, and confirm to start {formatPlanNames(plans)}. Nothing
        is charged until then.
      </p>
    </Card>
  );
}
