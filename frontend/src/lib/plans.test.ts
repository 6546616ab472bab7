import { describe, expect, it } from 'vitest';

import type { Plan, PlanStatus } from '@/lib/api/types';
import {
  canBePaused,
  isLive,
  isWatchable,
  namesOf,
  planNotes,
  watchableServices,
  willBill,
} from '@/lib/plans';
import { aGospelPlan, aKidsPlan, aPlan, aSite, PAUSE_SCHEDULED, PAUSED } from '@/testing/data';

const ENDING: Partial<Plan> = { status: 'NON_RENEWING', cancelAt: '2026-12-04T15:00:00Z' };

describe('the note of a plan', () => {
  it.each<[string, Partial<Plan>, string[]]>([
    ['one that goes on', {}, []],
    [
      'one that ends',
      ENDING,
      [
        'Your access to Faith & Family will end at the end of your billing cycle, December 4, 2026.',
      ],
    ],
    [
      'one that ends and has a coupon',
      { ...ENDING, hasUpcomingCoupon: true },
      [
        'Your access to Faith & Family will end at the end of your billing cycle, December 4, 2026.',
      ],
    ],
    [
      'one that ends without a date and has a coupon',
      { status: 'NON_RENEWING', hasUpcomingCoupon: true },
      ['Coupon will be applied on your next billing cycle'],
    ],
    [
      'one with a coupon',
      { hasUpcomingCoupon: true },
      ['Coupon will be applied on your next billing cycle'],
    ],
    [
      'one with a scheduled pause',
      PAUSE_SCHEDULED,
      [
        'Your pause takes effect on December 10, 2026. It resumes automatically on January 9, 2027.',
      ],
    ],
    [
      'a paused one',
      PAUSED,
      ['Your subscription is paused. It resumes automatically on December 2, 2026.'],
    ],
    [
      'a paused one that nobody set an end for',
      { ...PAUSED, resumeDate: null },
      ['Your subscription is paused.'],
    ],
  ])('is right for %s', (_case, differing, expected) => {
    expect(planNotes(aPlan(differing))).toEqual(expected);
  });
});

describe('what a status means', () => {
  it.each<[PlanStatus, { live: boolean; bills: boolean; watch: boolean; pause: boolean }]>([
    ['ACTIVE', { live: true, bills: true, watch: true, pause: true }],
    ['IN_TRIAL', { live: true, bills: true, watch: true, pause: false }],
    ['NON_RENEWING', { live: true, bills: false, watch: true, pause: false }],
    ['PAUSED', { live: true, bills: false, watch: false, pause: false }],
    ['CANCELLED', { live: false, bills: false, watch: false, pause: false }],
  ])('is the same for %s in either case', (status, expected) => {
    for (const spelled of [status, status.toLowerCase() as PlanStatus]) {
      const plan = aPlan({ status: spelled });
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
  ])('lets no pause be placed where a %s is scheduled', (_case, differing) => {
    expect(canBePaused(aPlan(differing))).toBe(false);
  });
});

describe('the services to watch', () => {
  it('are those of plans with access, each once, found without regard to case', () => {
    const plans = [
      aPlan({ service: 'FAITH-FAMILY' }),
      aGospelPlan(PAUSED),
      aKidsPlan(),
      aKidsPlan({ id: 'Minno', subId: 'sub_old' }),
    ];
    const found = watchableServices(plans, aSite().services);
    expect(found.map(({ id }) => id)).toEqual(['faith-family', 'kids']);
  });

  it('are none while the site is unknown', () => {
    expect(watchableServices([aPlan()], undefined)).toEqual([]);
  });
});

it('names plans as one would say it', () => {
  expect(namesOf([aPlan(), aGospelPlan()])).toBe('Faith & Family and Gospel TV');
});
