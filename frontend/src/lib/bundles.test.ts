import { describe, expect, it } from 'vitest';

import { priceAfterEnd } from '@/lib/bundles';
import {
  aGospelPlan,
  aKidsPlan,
  aPlan,
  aServicesChange,
  CHANGING,
  ENDING,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/data';

const OUTLASTING = aGospelPlan({ ...ENDING, cancelAt: '2026-12-20T15:00:00Z' });
const SAVING = { bundleSavings: 70, total: 629 };

describe('the price of the next bill', () => {
  it.each([
    ['the one that stays', [aPlan()], 'the price is $6.99 / month.'],
    ['one that changes with that bill', [aPlan(CHANGING)], 'the price is $6.99 / month.'],
    ['two that stay', [aPlan(), aKidsPlan()], 'your bundle is smaller and saves less.'],
    [
      'one that stays and one that is paused',
      [aPlan(), aKidsPlan(PAUSED)],
      'your bundle is smaller and saves less.',
    ],
  ])('gives way to another for %s, where what ends outlasts it', (_case, staying, words) => {
    const change = aServicesChange({ ...SAVING, existingPlans: [...staying, OUTLASTING] });
    expect(priceAfterEnd(change)).toBe(`Once Gospel TV has ended, ${words}`);
  });

  it.each([
    [
      'what ends does so with the bill',
      [aPlan(), aGospelPlan({ ...ENDING, cancelAt: aPlan().nextBillingAt })],
    ],
    ['what ends does so before it', [aPlan(), aGospelPlan(ENDING)]],
    ['no bill is set', [aPlan(PAUSE_SCHEDULED), OUTLASTING]],
    ['nothing ends', [aPlan(), aGospelPlan()]],
  ])('lasts where %s', (_case, existingPlans) => {
    expect(priceAfterEnd(aServicesChange({ ...SAVING, existingPlans }))).toBeNull();
  });

  it('lasts where no bundle saves anything', () => {
    const change = aServicesChange({ existingPlans: [aPlan(), OUTLASTING] });
    expect(priceAfterEnd(change)).toBeNull();
  });

  it('is looked at in both periods', () => {
    const otherTotal = {
      periodUnit: 'year' as const,
      total: 6299,
      bundleSavings: 700,
      couponDiscount: 0,
    };
    const change = aServicesChange({
      otherTotal,
      existingPlans: [aPlan(), aKidsPlan(), OUTLASTING],
    });
    expect(priceAfterEnd(change)).toContain('your bundle is smaller');
  });
});
