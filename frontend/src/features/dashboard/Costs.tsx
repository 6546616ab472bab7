import type { ManagePlans, Plan } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { willBill } from '@/lib/plans';
import { sumRows } from '@/lib/totals';
import { Card } from '@/ui/Card';
import { MoneyRow, Totals } from '@/ui/Totals';
import styles from './Panel.module.css';

/** What the next period costs: what bills, what comes off, what is left. */
export function Costs({ plans, costs }: { plans: readonly Plan[]; costs: ManagePlans }) {
  return (
    <Card as="section" labelledBy="your-costs" className={styles.panel}>
      <h2 id="your-costs">What you pay</h2>
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
