import { describe, expect, it } from 'vitest';

import type { ManagePlans } from '@/lib/api/types';
import { sumRows } from '@/lib/totals';
import { someManagePlans } from '@/testing/data';

const OTHER = { periodUnit: 'year', total: 8999, bundleSavings: 0, couponDiscount: 0 } as const;

describe('the rows of sums', () => {
  it.each<[string, Partial<ManagePlans>, string[]]>([
    ['a plan alone', { total: 699 }, ['Total Monthly Costs $6.99']],
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
    ['nothing that bills', { total: 0 }, ['Total Monthly Costs $0.00']],
    [
      'plans of both periods',
      { total: 629, bundleSavings: 70, otherTotal: { ...OTHER, bundleSavings: 900 } },
      [
        'Bundle Savings -$0.70',
        'Total Monthly Costs $6.29',
        'Bundle Savings -$9.00',
        'Total Yearly Costs $89.99',
      ],
    ],
  ])('are right for %s', (_case, costs, expected) => {
    const rows = sumRows(someManagePlans(costs));
    expect(rows.map(({ label, amount }) => `${label} ${amount}`)).toEqual(expected);
  });

  it('say of every total that taxes come on top, and of no saving', () => {
    const rows = sumRows(someManagePlans({ bundleSavings: 70, otherTotal: OTHER }));
    expect(rows.map(({ kind, note }) => [kind, note])).toEqual([
      ['saving', undefined],
      ['total', 'and applicable taxes'],
      ['total', 'and applicable taxes'],
    ]);
  });

  it('call the coupon as the screen wishes', () => {
    const [coupon] = sumRows(someManagePlans({ couponDiscount: 500 }), 'Coupon Code');
    expect(coupon).toMatchObject({ label: 'Coupon Code', amount: '-$5.00' });
  });

  it('have keys of their own', () => {
    const costs = { bundleSavings: 1, couponDiscount: 1 };
    const rows = sumRows(someManagePlans({ ...costs, otherTotal: { ...OTHER, ...costs } }));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(6);
  });
});
