import { useQuery } from '@tanstack/react-query';
import { formatPlanNames } from '@/domain/plans/plans';
import panel from '@/features/dashboard/panels/Panel.module.css';
import { PLAN_STATUS_LABELS } from '@/features/dashboard/subscriptions/planStatus';
import type { OtherCustomer } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import { otherCustomersOptions, useSwitchCustomer } from './api';
import styles from './OtherCustomers.module.css';

/** The further accounts of the email address, with what each pays for; nothing if there is none. */
export function OtherCustomers() {
  const { data: others = [] } = useQuery(otherCustomersOptions);
  const { mutate: switchTo, isPending } = useSwitchCustomer();
  if (others.length === 0) return null;
  return (
    <Card as="section" labelledBy="others" className={panel.panel}>
      <h2 id="others">Your other accounts</h2>
      <p>
        Your email address has {others.length === 1 ? 'another account' : 'other accounts'}, with
        separate subscriptions and payment methods. Switch to see, change, or cancel them.
      </p>
      <ul className={panel.rows}>
        {others.map((other) => (
          <li key={other.id} className={styles.row}>
            <OtherPlans other={other} />
            <Button variant="secondary" busy={isPending} onClick={() => switchTo(other.id)}>
              Switch to {accountName(other)}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function accountName({ plans }: OtherCustomer): string {
  return plans.length === 0 ? 'the other account' : formatPlanNames(plans);
}

function OtherPlans({ other: { plans } }: { other: OtherCustomer }) {
  if (plans.length === 0) return <p className={panel.muted}>No current subscriptions</p>;
  return (
    <ul className={styles.plans}>
      {plans.map((plan, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two subscriptions may be identical.
        <li key={`${plan.name} ${index}`}>
          <p className={styles.name}>{plan.name}</p>
          <p className={panel.muted}>
            {formatPrice(plan.amount, plan)} · {PLAN_STATUS_LABELS[plan.status].label}
          </p>
        </li>
      ))}
    </ul>
  );
}
