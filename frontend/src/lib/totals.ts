import type { ManagePlans, OtherTotal, PeriodUnit } from '@/lib/api/types';
import { formatCents, formatSaving } from '@/lib/formats';

/** One line of sums, ready to be drawn. */
export interface SumRow {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

const TOTAL_LABELS: Record<PeriodUnit, string> = {
  month: 'Total Monthly Costs',
  year: 'Total Yearly Costs',
};

/**
 * What comes off and what is left, per billing period: coupon, bundle, total. The other period's sums
 * follow where something bills at it. A saving of nothing has no row.
 */
export function sumRows(costs: ManagePlans, couponLabel = 'Coupon Discount'): SumRow[] {
  const periods = costs.otherTotal ? [costs, costs.otherTotal] : [costs];
  return periods.flatMap((period) => rowsOf(period, couponLabel));
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
