import { describe, expect, it } from 'vitest';
import {
  CHANGING,
  ENDING,
  makeGospelPlan,
  makeKidsPlan,
  makePlan,
  makeServicesChange,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { laterPriceSentence } from './bundlePrices';

const OUTLASTING = makeGospelPlan({ ...ENDING, cancelAt: '2026-12-20T15:00:00Z' });
const SAVING = { bundleSavings: 70, total: 629 };

describe('the price of the next bill', () => {
  it.each([
    ['a single remaining plan', [makePlan()], 'the price is $6.99 / month.'],
    [
      'a remaining plan that changes with that bill',
      [makePlan(CHANGING)],
      'the price is $6.99 / month.',
    ],
    [
      'two remaining plans',
      [makePlan(), makeKidsPlan()],
      'your bundle gets smaller and saves you less.',
    ],
    [
      'a remaining plan and a paused one',
      [makePlan(), makeKidsPlan(PAUSED)],
      'your bundle gets smaller and saves you less.',
    ],
  ])('changes later for %s if an ending plan outlasts it', (_case, staying, words) => {
    const change = makeServicesChange({ ...SAVING, existingPlans: [...staying, OUTLASTING] });
    expect(laterPriceSentence(change)).toBe(`After Gospel TV ends, ${words}`);
  });

  it.each([
    [
      'the ending plan ends with the bill',
      [makePlan(), makeGospelPlan({ ...ENDING, cancelAt: makePlan().nextBillingAt })],
    ],
    ['the ending plan ends before it', [makePlan(), makeGospelPlan(ENDING)]],
    ['no bill is scheduled', [makePlan(PAUSE_SCHEDULED), OUTLASTING]],
    ['nothing ends', [makePlan(), makeGospelPlan()]],
  ])('stays if %s', (_case, existingPlans) => {
    expect(laterPriceSentence(makeServicesChange({ ...SAVING, existingPlans }))).toBeNull();
  });

  it('stays without a bundle discount', () => {
    const change = makeServicesChange({ existingPlans: [makePlan(), OUTLASTING] });
    expect(laterPriceSentence(change)).toBeNull();
  });

  it('considers both billing periods', () => {
    const otherTotal = {
      periodUnit: 'year' as const,
      total: 6299,
      bundleSavings: 700,
      couponDiscount: 0,
    };
    const change = makeServicesChange({
      otherTotal,
      existingPlans: [makePlan(), makeKidsPlan(), OUTLASTING],
    });
    expect(laterPriceSentence(change)).toContain('your bundle gets smaller');
  });
});
