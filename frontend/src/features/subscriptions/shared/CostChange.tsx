import { type Costs, periodPrices } from '@/domain/costs/totals';
import { formatCents } from '@/lib/formats';
import { MoneyRow, Totals } from '@/ui/Totals';
import styles from './subscriptions.module.css';

interface CostChangeProps {
  now: Costs;
  then: Costs & { dueNow: number };
  /** When the new price starts, `From December 22, 2026`; undefined if at once. */
  from?: string | undefined;
  /** A sentence about the price after the next bill, if it differs. */
  later?: string | null;
}

/**
 * The current price, the amount due today, and the new price, or that of the next bill if it changes
 * again.
 */
export function CostChange({ now, then, from, later }: CostChangeProps) {
  return (
    <div className={styles.sentences}>
      <Totals>
        <MoneyRow label="Now" amount={periodPrices(now)} />
        <MoneyRow
          label="Due today"
          amount={formatCents(then.dueNow)}
          note={then.dueNow > 0 ? 'taxes included' : undefined}
        />
        <MoneyRow
          kind="total"
          label={later ? 'Next bill' : (from ?? 'New price')}
          amount={periodPrices(then)}
          note="and applicable taxes"
        />
      </Totals>
      {later && <p className={styles.muted}>{later}</p>}
    </div>
  );
}
