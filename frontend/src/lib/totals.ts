import type { OtherTotal, PeriodUnit } from '@/lib/api/types';
import { formatCents, formatPrice, formatSaving } from '@/lib/formats';

/** One line of sums, ready to be drawn. */
export interface SumRow {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

/** What the next period costs; where some plans bill at the other period, what that costs besides. */
export type Costs = OtherTotal & { otherTotal: OtherTotal | null };

const TOTAL_LABELS: Record<PeriodUnit, string> = {
  month: 'Total Monthly Costs',
  year: 'Total Yearly Costs',
};

/**
 * What comes off and what is left, per billing period: coupon, bundle, total. The other period's sums
 * follow where something bills at it. A saving of nothing has no row.
 */
export function sumRows(costs: Costs, couponLabel = 'Coupon Discount'): SumRow[] {
  return periodsOf(costs).flatMap((period) => rowsOf(period, couponLabel));
}

/** Each period's total as a price, `$13.48 / month`: they are never added up. */
export function periodPrices(costs: Costs): string[] {
  return periodsOf(costs).map(({ total, periodUnit }) => formatPrice(total, periodUnit));
}

/** The total of the plans billed at this period; 0 where none is. */
export function totalPer(costs: Costs, unit: PeriodUnit): number {
  return periodsOf(costs).find(({ periodUnit }) => periodUnit === unit)?.total ?? 0;
}

function periodsOf(costs: Costs): OtherTotal[] {
  return costs.otherTotal ? [costs, costs.otherTotal] : [costs];
}

function rowsOf(costs: OtherTotal, couponLabel: string): SumRow[] {
  return [
    ...saving(`coupon-${costs.periodUnit}`, couponLabel, costs.couponDiscount),
    ...saving(`bundle-${costs.periodUnit}`, 'Bundle Savings', costs.bundleSavings),
    {
      key: `total-${costs.periodUnit}`,
      label: TOTAL_LABELS[costs.periodUnit],
      amount: formatCents(costs.total),
      note: 'and applicable taxes',
      kind: 'total',
    },
  ];
}

function saving(key: string, label: string, cents: number): SumRow[] {
  return cents > 0 ? [{ key, label, amount: formatSaving(cents), kind: 'saving' }] : [];
}
