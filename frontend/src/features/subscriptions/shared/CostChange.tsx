import { billRows } from '@/domain/costs/nextBills';
import { type Costs, periodPrices } from '@/domain/costs/totals';
import { useChargedMethod } from '@/domain/payments/useChargedMethod';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import type { PlanToBe, ServicesChange } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { MoneyRow, Totals } from '@/ui/display/Totals';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './subscriptions.module.css';

interface CostChangeProps {
  now: Costs;
  then: Pick<ServicesChange, 'dueNow' | 'dueCurrencyCode' | 'nextBills'> & {
    existingPlans: readonly PlanToBe[];
  };
  /** The plans that are charged today. */
  chargedPlanIds: readonly string[];
}

/** The current price, what is due today and how it is paid, and what is billed then, with the dates. */
export function CostChange({ now, then, chargedPlanIds }: CostChangeProps) {
  const method = useChargedMethod(
    then.nextBills.filter(({ planIds }) => planIds.some((id) => chargedPlanIds.includes(id))),
  );
  const overdue = useOverdueAmount(then.existingPlans);
  const dueNote = method ? `taxes included, charged to ${method}` : 'taxes included';
  return (
    <div className={styles.sentences}>
      <Totals>
        <MoneyRow label="Now" amount={periodPrices(now)} />
        <MoneyRow
          label="Due today"
          amount={formatCents(then.dueNow, then.dueCurrencyCode)}
          note={then.dueNow > 0 ? dueNote : undefined}
        />
        {billRows(then.nextBills, then.existingPlans, overdue).map(
          ({ key, label, amount = '', note }) => (
            <MoneyRow
              key={key}
              kind="total"
              label={<UnbrokenDates>{label}</UnbrokenDates>}
              amount={amount}
              note={note}
            />
          ),
        )}
      </Totals>
    </div>
  );
}
