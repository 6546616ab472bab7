import { sumRows } from '@/domain/costs/totals';
import { willBill } from '@/domain/plans/plans';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { Card } from '@/ui/Card';
import { MoneyRow, Totals } from '@/ui/Totals';
import styles from './Panel.module.css';

/** The cost of the next period: prices, discounts and total. */
export function CostsPanel({ plans, costs }: { plans: readonly Plan[]; costs: ManagePlans }) {
  return (
    <Card as="section" labelledBy="your-costs" className={styles.panel}>
      <h2 id="your-costs">Your costs</h2>
      <Totals>
        {plans.filter(willBill).map(({ subId, name, amount }) => (
          <MoneyRow key={subId} label={name} amount={formatCents(amount)} />
        ))}
        {sumRows(costs).map(({ key, ...row }) => (
          <MoneyRow key={key} {...row} />
        ))}
      </Totals>
    </Card>
  );
}
