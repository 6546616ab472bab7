import { describe, expect, it } from 'vitest';

import type { ManagePlans } from '@/lib/api/types';
import { MONTHLY_DOLLARS, makeManagePlans } from '@/testing/fixtures';
import { sumRows } from './totals';

const OTHER = {
  ...MONTHLY_DOLLARS,
  periodUnit: 'year',
  total: 8999,
  bundleSavings: 0,
  couponDiscount: 0,
} as const;

describe('the total rows', () => {
  // shows: subscriptions-3, subscriptions-4
  it.each<[string, Partial<ManagePlans>, string[]]>([
    ['a single plan', { total: 699 }, ['Total Monthly Costs $6.99']],
    ['a yearly account', { total: 6999, periodUnit: 'year' }, ['Total Yearly Costs $69.99']],
    [
      'a bundle',
      { total: 1348, bundleSavings: 150 },
      ['Bundle Savings -$1.50', 'Total Monthly Costs $13.48'],
    ],
    [
      'a coupon on a bundle',
      { total: 848, bundleSavings: 150, couponDiscount: 500 },
      ['Coupon Discount -$5.00', 'Bundle Savings -$1.50', 'Total Monthly Costs $8.48'],
    ],
    [
      'plans of other periods and currencies',
      {
        total: 699,
        otherTotals: [
          { ...OTHER, periodUnit: 'week', currencyCode: 'EUR', total: 250 },
          { ...OTHER, periodUnit: 'month', period: 3, total: 2199 },
        ],
      },
      ['Total Monthly Costs $6.99', 'Total per week €2.50', 'Total per 3 months $21.99'],
    ],
    ['no billed plan', { total: 0 }, ['Total Monthly Costs $0.00']],
    [
      'plans of both periods',
      { total: 629, bundleSavings: 70, otherTotals: [{ ...OTHER, bundleSavings: 900 }] },
      [
        'Bundle Savings -$0.70',
        'Total Monthly Costs $6.29',
        'Bundle Savings -$9.00',
        'Total Yearly Costs $89.99',
      ],
    ],
  ])('are correct for %s', (_case, costs, expected) => {
    const rows = sumRows(makeManagePlans(costs));
    expect(rows.map(({ label, amount }) => `${label} ${amount}`)).toEqual(expected);
  });

  // shows: subscriptions-4
  it('note applicable taxes on totals, not on discounts', () => {
    const rows = sumRows(makeManagePlans({ bundleSavings: 70, couponDiscount: 5 }));
    expect(rows.map(({ kind, note }) => [kind, note])).toEqual([
      ['saving', undefined],
      ['saving', undefined],
      ['total', 'and applicable taxes'],
    ]);
  });

  it('say from which of several totals a discount comes off', () => {
    const rows = sumRows(
      makeManagePlans({
        bundleSavings: 70,
        otherTotals: [
          { ...OTHER, bundleSavings: 900, couponDiscount: 5 },
          { ...OTHER, periodUnit: 'month', period: 3, bundleSavings: 210 },
        ],
      }),
    );
    const savings = rows.filter(({ kind }) => kind === 'saving');
    expect(savings.map(({ label, note }) => `${label} ${note}`)).toEqual([
      'Bundle Savings on monthly plans',
      'Coupon Discount on annual plans',
      'Bundle Savings on annual plans',
      'Bundle Savings on plans billed every 3 months',
    ]);
  });

  it('note no taxes on a total of nothing', () => {
    const [total] = sumRows(makeManagePlans({ total: 0 }));
    expect(total).toMatchObject({ kind: 'total', amount: '$0.00' });
    expect(total?.note).toBeUndefined();
  });

  // shows: paused-4
  it('use the given coupon label', () => {
    const [coupon] = sumRows(makeManagePlans({ couponDiscount: 500 }), 'Coupon Code');
    expect(coupon).toMatchObject({ label: 'Coupon Code', amount: '-$5.00' });
  });

  it('have unique keys', () => {
    const costs = { bundleSavings: 1, couponDiscount: 1 };
    const rows = sumRows(makeManagePlans({ ...costs, otherTotals: [{ ...OTHER, ...costs }] }));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(6);
  });
});
