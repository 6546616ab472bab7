import { sumRows } from '@/domain/costs/totals';
import { billsBeforeEnd, willBill } from '@/domain/plans/plans';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { formatCents, formatPrice } from '@/lib/formats';
import { MoneyRow, Totals } from '@/ui/display/Totals';
import { Card } from '@/ui/layout/Card';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import styles from './Panel.module.css';

interface CostsPanelProps {
  plans: readonly Plan[];
  costs: ManagePlans;
  /** The costs are older than a change. */
  isOutdated: boolean;
}

/**
 * The cost of the next period: prices, discounts and total. Prices of unlike periods or currencies
 * are written with theirs, because each has a total of its own. Nothing if the next period costs
 * nothing, because every plan ends or is paused.
 */
export function CostsPanel({ plans, costs, isOutdated }: CostsPanelProps) {
  const billed = plans.filter((plan) => willBill(plan) || billsBeforeEnd(plan));
  if (billed.length === 0) return null;
  return (
    <Card as="section" labelledBy="your-costs" className={styles.panel}>
      <h2 id="your-costs">Your costs</h2>
      {isOutdated ? (
        <SkeletonRows rows={billed.length + 1} />
      ) : (
        <Costs billed={billed} costs={costs} />
      )}
    </Card>
  );
}

function Costs({ billed, costs }: { billed: readonly Plan[]; costs: ManagePlans }) {
  const hasOtherTerms = costs.otherTotals.length > 0;
  return (
    <Totals>
      {billed.map((plan) => (
        <MoneyRow
          key={plan.subId}
          label={plan.name}
          amount={
            hasOtherTerms
              ? formatPrice(plan.amount, plan)
              : formatCents(plan.amount, plan.currencyCode)
          }
        />
      ))}
      {sumRows(costs).map(({ key, ...row }) => (
        <MoneyRow key={key} {...row} />
      ))}
    </Totals>
  );
}
