import { describe, expect, it } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { nextSentence, nextSteps } from '@/lib/nextSteps';
import { aGospelPlan, aKidsPlan, aPlan, PAUSE_SCHEDULED, PAUSED } from '@/testing/data';

const ENDING: Partial<Plan> = {
  status: 'NON_RENEWING',
  cancelAt: '2026-12-04T15:00:00Z',
  nextBillingAt: null,
};

describe('what comes next for a plan', () => {
  it.each<[string, Partial<Plan>, [string, string | null][]]>([
    ['bills', {}, [['Next bill', '2026-12-10T15:00:00Z']]],
    [
      'is in trial',
      { status: 'IN_TRIAL' },
      [['Trial ends and billing begins', '2026-12-10T15:00:00Z']],
    ],
    [
      'changes with the next bill',
      { hasScheduledChange: true },
      [['Next bill, and your plan changes', '2026-12-10T15:00:00Z']],
    ],
    [
      'has a scheduled pause',
      PAUSE_SCHEDULED,
      [
        ['Pause starts', '2026-12-10T15:00:00Z'],
        ['Resumes automatically', '2027-01-09T15:00:00Z'],
      ],
    ],
    ['is paused', PAUSED, [['Resumes automatically', '2026-12-02T15:00:00Z']]],
    [
      'is paused without an end',
      { ...PAUSED, resumeDate: null },
      [['Stays paused until you resume it', null]],
    ],
    ['ends', ENDING, [['Access ends', '2026-12-04T15:00:00Z']]],
    ['is cancelled', { status: 'CANCELLED' }, []],
  ])('is right for one that %s', (_case, differing, expected) => {
    const steps = nextSteps(aPlan(differing));
    expect(steps.map(({ title, at }) => [title, at])).toEqual(expected);
  });

  it.each<[Partial<Plan>, string]>([
    [{ hasUpcomingCoupon: true }, 'Coupon will be applied on your next billing cycle'],
    [{ hasFreeMonth: true }, 'Your free month will be applied to it.'],
  ])('says what comes off the next bill: %o', (differing, expected) => {
    expect(nextSteps(aPlan(differing))[0]).toMatchObject({ detail: expected });
  });
});

describe('the sentence about what happens next', () => {
  it('names every plan that bills on the next day', () => {
    expect(nextSentence([aPlan(), aGospelPlan()])).toBe(
      'Your next bill comes on December 10, 2026, for Faith & Family and Gospel TV.',
    );
  });

  it('speaks once of the bills of a day, also where a plan changes with one of them', () => {
    expect(nextSentence([aPlan({ hasScheduledChange: true }), aGospelPlan()])).toBe(
      'Your next bill comes on December 10, 2026, for Faith & Family and Gospel TV.',
    );
  });

  it('takes the soonest over all plans', () => {
    expect(nextSentence([aPlan(), aGospelPlan(PAUSED), aKidsPlan(ENDING)])).toBe(
      'Gospel TV resumes automatically on December 2, 2026.',
    );
  });

  it('says everything that happens on that day', () => {
    expect(nextSentence([aPlan(PAUSE_SCHEDULED), aKidsPlan()])).toBe(
      'Faith & Family pauses on December 10, 2026. ' +
        'Your next bill comes on December 10, 2026, for Kids.',
    );
  });

  it('says nothing where nothing is going to happen', () => {
    expect(nextSentence([aPlan({ status: 'CANCELLED' })])).toBeNull();
  });
});
