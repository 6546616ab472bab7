import { describe, expect, it } from 'vitest';

import type { Plan, PlanStatus } from '@/lib/api/types';
import {
  makeGospelPlan,
  makeKidsPlan,
  makePlan,
  makeSite,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import {
  canBePaused,
  formatPlanNames,
  isLive,
  isWatchable,
  planNotes,
  watchableServices,
  willBill,
} from './plans';

const ENDING: Partial<Plan> = {
  status: 'NON_RENEWING',
  cancelAt: '2026-12-04T15:00:00Z',
  nextBillingAt: null,
};

describe('the note of a plan', () => {
  // shows: subscriptions-7, subscriptions-8
  it.each<[string, Partial<Plan>, string[]]>([
    ['a renewing plan', {}, []],
    [
      'an ending plan',
      ENDING,
      [
        'Your access to Faith & Family will end at the end of your billing cycle, December 4, 2026.',
      ],
    ],
    [
      'an ending plan with a coupon',
      { ...ENDING, hasUpcomingCoupon: true },
      [
        'Your access to Faith & Family will end at the end of your billing cycle, December 4, 2026.',
      ],
    ],
    [
      'a plan that ends after its next bill',
      { ...ENDING, cancelAt: '2027-03-10T15:00:00Z', nextBillingAt: '2026-12-10T15:00:00Z' },
      [
        'Your access to Faith & Family will end on March 10, 2027. You’re billed for it until then.',
      ],
    ],
    [
      'a plan that ends without a date and has a coupon',
      { status: 'NON_RENEWING', hasUpcomingCoupon: true },
      ['Coupon will be applied on your next billing cycle'],
    ],
    [
      'a plan with a coupon',
      { hasUpcomingCoupon: true },
      ['Coupon will be applied on your next billing cycle'],
    ],
    [
      'a plan with a scheduled pause',
      PAUSE_SCHEDULED,
      [
        'Your pause takes effect on December 10, 2026. It resumes automatically on January 9, 2027.',
      ],
    ],
    [
      'a paused plan',
      PAUSED,
      ['Your subscription is paused. It resumes automatically on December 2, 2026.'],
    ],
    [
      'a paused plan that ends',
      { ...PAUSED, resumeDate: null, cancelAt: '2026-12-04T15:00:00Z' },
      ['Your subscription is paused. It ends on December 4, 2026.'],
    ],
    [
      'a paused plan without a resume date',
      { ...PAUSED, resumeDate: null },
      ['Your subscription is paused.'],
    ],
  ])('is correct for %s', (_case, overrides, expected) => {
    expect(planNotes(makePlan(overrides))).toEqual(expected);
  });
});

describe('what a status means', () => {
  // shows: request-4
  it.each<[PlanStatus, { live: boolean; bills: boolean; watch: boolean; pause: boolean }]>([
    ['ACTIVE', { live: true, bills: true, watch: true, pause: true }],
    ['IN_TRIAL', { live: true, bills: true, watch: true, pause: false }],
    ['NON_RENEWING', { live: true, bills: false, watch: true, pause: false }],
    ['PAUSED', { live: true, bills: false, watch: false, pause: false }],
    ['CANCELLED', { live: false, bills: false, watch: false, pause: false }],
  ])('is the same for %s in upper and lower case', (status, expected) => {
    for (const spelling of [status, status.toLowerCase() as PlanStatus]) {
      const plan = makePlan({ status: spelling });
      expect({
        live: isLive(plan),
        bills: willBill(plan),
        watch: isWatchable(plan),
        pause: canBePaused(plan),
      }).toEqual(expected);
    }
  });

  it.each<[string, Partial<Plan>]>([
    ['pause', PAUSE_SCHEDULED],
    ['change', { hasScheduledChange: true }],
  ])('allows no pause if a %s is scheduled', (_case, overrides) => {
    expect(canBePaused(makePlan(overrides))).toBe(false);
  });
});

describe('a plan that has not started', () => {
  it('cannot be watched', () => {
    expect(isWatchable(makePlan({ status: 'IN_TRIAL', startsAt: '2026-12-01T15:00:00Z' }))).toBe(
      false,
    );
  });
});

describe('the watchable services', () => {
  it('belong to plans with access, without duplicates, ignoring case', () => {
    const plans = [
      makePlan({ service: 'FAITH-FAMILY' }),
      makeGospelPlan(PAUSED),
      makeKidsPlan(),
      makeKidsPlan({ id: 'Minno', subId: 'sub_old' }),
    ];
    const found = watchableServices(plans, makeSite().services);
    expect(found.map(({ id }) => id)).toEqual(['faith-family', 'kids']);
  });

  it('are empty while the site is unknown', () => {
    expect(watchableServices([makePlan()], undefined)).toEqual([]);
  });
});

it('formats plan names as a list', () => {
  expect(formatPlanNames([makePlan(), makeGospelPlan()])).toBe('Faith & Family and Gospel TV');
});
