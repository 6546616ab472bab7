import { describe, expect, it } from 'vitest';

import type { Plan } from '@/lib/api/types';
import {
  MONTHLY_DOLLARS,
  makeGospelPlan,
  makeKidsPlan,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { nextStepSentence, nextSteps } from './nextSteps';

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
      'has not started',
      {
        status: 'IN_TRIAL',
        startsAt: '2026-12-01T15:00:00Z',
        nextBillingAt: '2026-12-01T15:00:00Z',
      },
      [
        ['Starts', '2026-12-01T15:00:00Z'],
        ['Next bill', '2026-12-01T15:00:00Z'],
      ],
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
    [
      'ends after its next bill',
      { ...ENDING, cancelAt: '2027-03-10T15:00:00Z', nextBillingAt: '2026-12-10T15:00:00Z' },
      [
        ['Next bill', '2026-12-10T15:00:00Z'],
        ['Access ends', '2027-03-10T15:00:00Z'],
      ],
    ],
    ['is paused', PAUSED, [['Resumes automatically', '2026-12-02T15:00:00Z']]],
    [
      'is paused without an end',
      { ...PAUSED, resumeDate: null },
      [['Paused until you resume it', null]],
    ],
    [
      'is paused and ends before it resumes',
      { ...PAUSED, resumeDate: null, cancelAt: '2026-12-04T15:00:00Z' },
      [['Subscription ends', '2026-12-04T15:00:00Z']],
    ],
    [
      'is paused and ends after it resumes',
      { ...PAUSED, cancelAt: '2026-12-04T15:00:00Z' },
      [
        ['Resumes automatically', '2026-12-02T15:00:00Z'],
        ['Subscription ends', '2026-12-04T15:00:00Z'],
      ],
    ],
    ['ends', ENDING, [['Access ends', '2026-12-04T15:00:00Z']]],
    ['is cancelled', { status: 'CANCELLED' }, []],
  ])('is correct for a plan that %s', (_case, overrides, expected) => {
    const steps = nextSteps(makePlan(overrides));
    expect(steps.map(({ title, at }) => [title, at])).toEqual(expected);
  });

  it('has the price that a plan changes to at the end of its trial', () => {
    const scheduledPlan = { ...MONTHLY_DOLLARS, amount: 899, at: '2026-12-10T15:00:00Z' };
    const plan = makePlan({ status: 'IN_TRIAL', hasScheduledChange: true, scheduledPlan });
    expect(nextSteps(plan)[0]).toMatchObject({ detail: 'Then $8.99 / month' });
  });

  it.each<[Partial<Plan>, string]>([
    [{ hasUpcomingCoupon: true }, 'Coupon will be applied on your next billing cycle'],
    [{ hasFreeMonth: true }, 'Your free month applies to it.'],
  ])('mentions a discount on the next bill: %o', (overrides, expected) => {
    expect(nextSteps(makePlan(overrides))[0]).toMatchObject({ detail: expected });
  });
});

describe('the sentence about what happens next', () => {
  it('leaves bills to the card of the next bill', () => {
    expect(nextStepSentence([makePlan(), makeGospelPlan()])).toBeNull();
    expect(nextStepSentence([makePlan(), makeKidsPlan(ENDING)])).toBe(
      'Your access to Kids ends on December 4, 2026.',
    );
  });

  it('says when plans change', () => {
    expect(nextStepSentence([makePlan({ hasScheduledChange: true }), makeGospelPlan()])).toBe(
      'Your Faith & Family plan changes on December 10, 2026.',
    );
  });

  it('uses the soonest event of all plans', () => {
    expect(nextStepSentence([makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(ENDING)])).toBe(
      'Gospel TV resumes automatically on December 2, 2026.',
    );
  });

  it('lists everything that happens on that day', () => {
    const ending = makeKidsPlan({ ...ENDING, cancelAt: PAUSE_SCHEDULED.pauseDate ?? null });
    expect(nextStepSentence([makePlan(PAUSE_SCHEDULED), ending])).toBe(
      'Faith & Family pauses on December 10, 2026. Your access to Kids ends on December 10, 2026.',
    );
  });

  it('does not call it a trial if a plan has not started', () => {
    const startsAt = '2026-12-01T15:00:00Z';
    expect(nextStepSentence([makePlan({ status: 'IN_TRIAL', startsAt })])).toBe(
      'Your Faith & Family subscription starts on December 1, 2026.',
    );
  });

  it('is null if nothing is upcoming', () => {
    expect(nextStepSentence([makePlan({ status: 'CANCELLED' })])).toBeNull();
  });
});
