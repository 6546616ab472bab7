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

const PLANS_BILLED: Partial<Record<PeriodUnit, string>> = {
  month: 'on monthly plans',
  year: 'on annual plans',
};

/**
 * The rows for coupon, bundle and total, for each period. Discounts of zero have no row; where there
 * are several totals, a discount says from which it comes off.
 */
export function sumRows(costs: Costs, couponLabel = 'Coupon Discount'): SumRow[] {
  const periods = [costs, ...costs.otherTotals];
  return periods.flatMap((period) => {
    const { couponDiscount, bundleSavings } = period;
    const note = periods.length > 1 ? plansBilled(period) : undefined;
    return [
      ...savingRow(period, { name: 'coupon', label: couponLabel, cents: couponDiscount, note }),
      ...savingRow(period, { name: 'bundle', label: 'Bundle Savings', cents: bundleSavings, note }),
      totalRow(period),
    ];
  });
}

/**
 * Each period's total as a price, `$13.48 / month`. Totals of different periods or currencies are
 * never added up.
 */
export function periodPrices(costs: Costs): string[] {
  return [costs, ...costs.otherTotals].map((period) => formatPrice(period.total, period));
}

/** The total of the plans that are billed every year in this currency; 0 if there are none. */
export function yearlyTotal(costs: Costs, currency: string): number {
  const yearly = [costs, ...costs.otherTotals].find(
    ({ currencyCode, period, periodUnit }) =>
      currencyCode === currency && period === 1 && periodUnit === 'year',
  );
  return yearly?.total ?? 0;
}

function plansBilled(terms: OtherTotal): string {
  const usual = terms.period === 1 ? PLANS_BILLED[terms.periodUnit] : undefined;
  return usual ?? `on plans billed every ${formatPeriod(terms)}`;
}

function rowKey(name: string, terms: OtherTotal): string {
  return `${name}-${terms.currencyCode}-${formatPeriod(terms)}`;
}

function totalRow(costs: OtherTotal): SumRow {
  const label = costs.period === 1 ? TOTAL_LABELS[costs.periodUnit] : undefined;
  return {
    key: rowKey('total', costs),
    label: label ?? `Total per ${formatPeriod(costs)}`,
    amount: formatCents(costs.total, costs.currencyCode),
    ...(costs.total > 0 && { note: 'and applicable taxes' }),
    kind: 'total',
  };
}

interface Saving {
  name: string;
  label: string;
  cents: number;
  note: string | undefined;
}

function savingRow(costs: OtherTotal, { name, label, cents, note }: Saving): SumRow[] {
  if (cents <= 0) return [];
  const amount = formatSaving(cents, costs.currencyCode);
  return [{ key: rowKey(name, costs), label, amount, ...(note && { note }), kind: 'saving' }];
}
