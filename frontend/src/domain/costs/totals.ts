import type { OtherTotal, PeriodUnit } from '@/lib/api/types';
import { formatCents, formatPeriod, formatPrice, formatSaving } from '@/lib/formats';

/** One formatted row below the plans: a discount or a total. */
export interface SumRow {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

/** The cost of the next period, and a total for each other period and currency that plans have. */
export type Costs = OtherTotal & { otherTotals: readonly OtherTotal[] };

const TOTAL_LABELS: Partial<Record<PeriodUnit, string>> = {
  month: 'Total Monthly Costs',
  year: 'Total Yearly Costs',
};

/** The rows for coupon, bundle and total, for each period. Discounts of zero have no row. */
export function sumRows(costs: Costs, couponLabel = 'Coupon Discount'): SumRow[] {
  return [costs, ...costs.otherTotals].flatMap((period) => periodRows(period, couponLabel));
}

/**
 * Each period's total as a price, `$13.48 / month`. Totals of different periods or currencies are
 * never added up.
 */
export function periodPrices(costs: Costs): string[] {
  return [costs, ...costs.otherTotals].map((period) => formatPrice(period.total, period));
}

/** The total of the plans with this billing period; 0 if there are none. */
export function totalForPeriod(costs: Costs, unit: PeriodUnit): number {
  return [costs, ...costs.otherTotals].find(({ periodUnit }) => periodUnit === unit)?.total ?? 0;
}

function periodRows(costs: OtherTotal, couponLabel: string): SumRow[] {
  const { currencyCode, period } = costs;
  const terms = `${currencyCode}-${formatPeriod(costs)}`;
  const label = period === 1 ? TOTAL_LABELS[costs.periodUnit] : undefined;
  return [
    ...savingRow(`coupon-${terms}`, couponLabel, costs.couponDiscount, currencyCode),
    ...savingRow(`bundle-${terms}`, 'Bundle Savings', costs.bundleSavings, currencyCode),
    {
      key: `total-${terms}`,
      label: label ?? `Total per ${formatPeriod(costs)}`,
      amount: formatCents(costs.total, currencyCode),
      ...(costs.total > 0 && { note: 'and applicable taxes' }),
      kind: 'total',
    },
  ];
}

function savingRow(key: string, label: string, cents: number, currency: string): SumRow[] {
  return cents > 0 ? [{ key, label, amount: formatSaving(cents, currency), kind: 'saving' }] : [];
}
