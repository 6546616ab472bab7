import { describe, expect, it } from 'vitest';
import type { NextBill } from '@/lib/api/types';
import { makeNextBill, makePlan, PAUSED } from '@/testing/fixtures';
import { billRows, billSentences } from './nextBills';

const FAITH = makeNextBill({ amount: 629 });
const GOSPEL = makeNextBill({ amount: 719, planNames: ['Gospel TV'] });
const KIDS = makeNextBill({ amount: 764, planNames: ['Kids'], date: '2026-12-27T15:00:00Z' });
const FROM = { date: '2027-01-10T15:00:00Z', follows: true };

const read = (bills: readonly NextBill[]) =>
  billRows(bills, []).map(({ label, amount, note }) =>
    [label, amount, note].filter(Boolean).join(' | '),
  );

// shows: rule-21
describe('the rows of bills to come', () => {
  it('do not rule out bills while a plan is paused', () => {
    const [row] = billRows([], [makePlan(), makePlan(PAUSED)]);
    expect(row?.label).toBe('No bill is scheduled.');
  });

  it.each<[string, NextBill[], string[]]>([
    ['nothing', [], ['You won’t be billed again.']],
    ['one bill', [FAITH], ['Next bill, December 10, 2026 | $6.29']],
    [
      'two bills of one day, as one sum',
      [FAITH, GOSPEL],
      ['Next bill, December 10, 2026 | $13.48 | Faith & Family $6.29, Gospel TV $7.19'],
    ],
    [
      'bills of several days',
      [FAITH, GOSPEL, KIDS],
      [
        'Next bill, December 10, 2026 | $13.48 | Faith & Family $6.29, Gospel TV $7.19',
        'Next bill, December 27, 2026: Kids | $7.64',
      ],
    ],
    [
      'a sum whose parts are not all known',
      [FAITH, { ...GOSPEL, amount: null }],
      ['Next bill, December 10, 2026 | Faith & Family $6.29, Gospel TV'],
    ],
    [
      'what follows',
      [FAITH, GOSPEL, { ...FAITH, ...FROM, amount: 699 }, { ...GOSPEL, ...FROM, amount: 799 }],
      [
        'Next bill, December 10, 2026 | $13.48 | Faith & Family $6.29, Gospel TV $7.19',
        'From January 10, 2027 | $14.98 / month | Faith & Family $6.99, Gospel TV $7.99',
      ],
    ],
    [
      'taxes to come',
      [{ ...FAITH, tax: 'before' }],
      ['Next bill, December 10, 2026 | $6.29 | and applicable taxes'],
    ],
    [
      'two ways of paying, which are not added up',
      [FAITH, { ...GOSPEL, paymentSource: null }],
      [
        'Next bill, December 10, 2026: Faith & Family | $6.29',
        'Next bill, December 10, 2026: Gospel TV | $7.19',
      ],
    ],
  ])('show %s', (_case, bills, expected) => {
    expect(read(bills)).toEqual(expected);
  });
});

describe('the sentences about bills to come', () => {
  it.each<[NextBill[], string]>([
    [[FAITH], 'Your next bill is $6.29 on December 10, 2026.'],
    [
      [FAITH, GOSPEL],
      'Your next bill is $13.48 on December 10, 2026 (Faith & Family $6.29, Gospel TV $7.19).',
    ],
    [
      [FAITH, KIDS],
      'Your next bill for Faith & Family is $6.29 on December 10, 2026. ' +
        'Your next bill for Kids is $7.64 on December 27, 2026.',
    ],
    [
      [FAITH, { ...FAITH, ...FROM, amount: 699 }],
      'Your next bill is $6.29 on December 10, 2026. From January 10, 2027, it is $6.99 / month.',
    ],
    [
      [FAITH, GOSPEL, { ...GOSPEL, ...FROM, amount: 799 }],
      'Your next bill is $13.48 on December 10, 2026 (Faith & Family $6.29, Gospel TV $7.19). ' +
        'From January 10, 2027, Gospel TV is $7.99 / month.',
    ],
  ])('say when and how much: %#', (bills, expected) => {
    expect(billSentences(bills).join(' ')).toBe(expected);
  });
});
