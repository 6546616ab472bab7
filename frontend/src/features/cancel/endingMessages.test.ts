import { describe, expect, it } from 'vitest';
import { canBeCancelled } from '@/domain/plans/plans';
import { ENDING, makeGospelPlan, makePlan, PAUSED } from '@/testing/fixtures';
import { cancellationReceipt } from './endingMessages';

const CONTRACT_ENDS_AT = '2027-03-10T15:00:00Z';
const BOUND = makePlan({ contractEndsAt: CONTRACT_ENDS_AT });
const BOUND_AFTER = makePlan({
  status: 'NON_RENEWING',
  cancelAt: CONTRACT_ENDS_AT,
  contractEndsAt: CONTRACT_ENDS_AT,
});
const GOSPEL_AFTER = makeGospelPlan(ENDING);
const cancelled = [
  { subId: 'sub_faith', name: 'Faith & Family', endsAt: CONTRACT_ENDS_AT, atOnce: false },
  { subId: 'sub_gospel', name: 'Gospel TV', endsAt: '2026-12-04T15:00:00Z', atOnce: false },
];

describe('the receipt of a cancellation', () => {
  it('says what is billed until its contract ends, and what is not billed again', () => {
    const receipt = cancellationReceipt({
      cancelled,
      before: [BOUND, makeGospelPlan()],
      after: [BOUND_AFTER, GOSPEL_AFTER],
    });
    expect(receipt).toContain(
      'You weren’t charged today. You’re billed for Faith & Family until it ends.',
    );
    expect(receipt).toContain('You won’t be charged for Gospel TV again.');
    expect(receipt.join(' ')).not.toContain('at the end of current term');
  });

  it('has the message of the specification where all end with their terms', () => {
    const receipt = cancellationReceipt({
      cancelled: cancelled.slice(1),
      before: [makeGospelPlan()],
      after: [GOSPEL_AFTER],
    });
    expect(receipt).toContain('All your subscriptions will be cancel at the end of current term');
    expect(receipt).toContain('You weren’t charged today, and you won’t be charged for it again.');
  });
});

describe('the receipt of an immediate end', () => {
  const ended = [
    { subId: 'sub_faith', name: 'Faith & Family', endsAt: null, atOnce: true },
    { subId: 'sub_gospel', name: 'Sermons', endsAt: null, atOnce: true },
  ];
  const sermons = makeGospelPlan({ ...PAUSED, name: 'Sermons', amountToday: null });

  it.each([
    [
      ended,
      [makePlan(PAUSED), sermons],
      ['You can start Faith & Family again anytime under ‘Ended subscriptions’.'],
    ],
    [ended.slice(1), [sermons], []],
  ])('offers to start again only what is sold', (cancelled, before, offers) => {
    const after = before.map((plan) => ({ ...plan, status: 'CANCELLED' as const }));
    const receipt = cancellationReceipt({ cancelled, before, after });
    expect(receipt.filter((sentence) => sentence.includes('again anytime'))).toEqual(offers);
  });

  it('does not say that nothing was charged if charges waited for a bill', () => {
    const receipt = cancellationReceipt({
      cancelled: ended.slice(1),
      before: [sermons],
      after: [{ ...sermons, status: 'CANCELLED' }],
      hasUnbilled: true,
    });
    expect(receipt).toContain(
      'You won’t be charged for it again, except for charges that aren’t billed yet.',
    );
    expect(receipt.join(' ')).not.toContain('weren’t charged today');
  });
});

describe('canceling what is set to end after its next bill', () => {
  const later = makePlan({ status: 'NON_RENEWING', cancelAt: CONTRACT_ENDS_AT });

  it('is possible, since it can end earlier', () => {
    expect(canBeCancelled(later)).toBe(true);
  });

  it.each([
    ['under contract', BOUND_AFTER],
    ['without another bill', makePlan(ENDING)],
  ])('is not possible %s', (_case, plan) => {
    expect(canBeCancelled(plan)).toBe(false);
  });
});
