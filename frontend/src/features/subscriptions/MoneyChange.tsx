import { formatCents } from '@/lib/formats';
import { type Costs, periodPrices } from '@/lib/totals';
import { MoneyRow, Totals } from '@/ui/Totals';

interface MoneyChangeProps {
  now: Costs;
  then: Costs & { dueNow: number };
  /** When the new price begins, where that is not at once. */
  from?: string | undefined;
}

/** What one pays now, what is due today and what one pays from then on. */
export function MoneyChange({ now, then, from }: MoneyChangeProps) {
  return (
    <Totals>
      <MoneyRow label="Now" amount={periodPrices(now)} />
      <MoneyRow
        label="Due today"
        amount={formatCents(then.dueNow)}
        note={then.dueNow > 0 ? 'taxes included' : undefined}
      />
      <MoneyRow
        kind="total"
        label="From then on"
        amount={periodPrices(then)}
        note={['and applicable taxes', from].filter(Boolean).join(', ')}
      />
    </Totals>
  );
}
