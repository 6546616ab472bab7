import type { OtherTotal, PeriodUnit } from '@/lib/api/types';
import { formatCents, formatPrice, formatSaving } from '@/lib/formats';

/** One formatted row below the plans: a discount or a total. */
export interface SumRow {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

/** The cost of the next period, and of the other billing period if some plans use it. */
export type Costs = OtherTotal & { otherTotal: OtherTotal | null };

const TOTAL_LABELS: Record<PeriodUnit, string> = {
  month: 'Total Monthly Costs',
  year: 'Total Yearly Costs',
};

/** The rows for coupon, bundle and total, per billing period. Discounts of zero have no row. */
export function sumRows(costs: Costs, couponLabel = 'Coupon Discount'): SumRow[] {
  return costsByPeriod(costs).flatMap((period) => periodRows(period, couponLabel));
}

/**
 * Each period's total as a price, `$13.48 / month`. Totals of different periods are never added up.
 */
export function periodPrices(costs: Costs): string[] {
  return costsByPeriod(costs).map(({ total, periodUnit }) => formatPrice(total, periodUnit));
}

/** The total of the plans with this billing period; 0 if there are none. */
export function totalForPeriod(costs: Costs, unit: PeriodUnit): number {
  return costsByPeriod(costs).find(({ periodUnit }) => periodUnit === unit)?.total ?? 0;
}

function costsByPeriod(costs: Costs): OtherTotal[] {
  return costs.otherTotal ? [costs, costs.otherTotal] : [costs];
}

function periodRows(costs: OtherTotal, couponLabel: string): SumRow[] {
  return [
    ...savingRow(`coupon-${costs.periodUnit}`, couponLabel, costs.couponDiscount),
    ...savingRow(`bundle-${costs.periodUnit}`, 'Bundle Savings', costs.bundleSavings),
    {
      key: `total-${costs.periodUnit}`,
      label: TOTAL_LABELS[costs.periodUnit],
      amount: formatCents(costs.total),
      note: 'and applicable taxes',
      kind: 'total',
    },
  ];
}

function savingRow(key: string, label: string, cents: number): SumRow[] {
  return cents > 0 ? [{ key, label, amount: formatSaving(cents), kind: 'saving' }] : [];
}
