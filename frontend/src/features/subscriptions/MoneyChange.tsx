import { formatCents } from '@/lib/formats';
import { type Costs, periodPrices } from '@/lib/totals';
import { MoneyRow, Totals } from '@/ui/Totals';
import styles from './subscriptions.module.css';

interface MoneyChangeProps {
  now: Costs;
  then: Costs & { dueNow: number };
  /** When the new price begins, where that is not at once. */
  from?: string | undefined;
  /** What it gives way to after the next bill, in a sentence, where it does not last. */
  later?: string | null;
}

/** What one pays now, what is due today and what one pays from then on, or next where that does not last. */
export function MoneyChange({ now, then, from, later }: MoneyChangeProps) {
  const starts = later ? undefined : from;
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
          label={later ? 'Next bill' : 'From then on'}
          amount={periodPrices(then)}
          note={['and applicable taxes', starts].filter(Boolean).join(', ')}
        />
      </Totals>
      {later && <p className={styles.muted}>{later}</p>}
    </div>
  );
}
