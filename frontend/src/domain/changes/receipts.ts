import { canBePaused, formatPlanNames, planStatus } from '@/domain/plans/plans';
import type { Plan, ResumeEstimate } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';

/** What a change did, passed to the next screen in the navigation state. */
interface Receipt {
  sentences: readonly string[];
  /** The day of the change, because the sentences say 'today'. */
  day: string;
  /** A fingerprint of each affected subscription after the change, by id. */
  fingerprints: Readonly<Record<string, string>>;
  /** The subscriptions for which the change was scheduled, by id. */
  scheduled: readonly string[];
}

/** The fields that a receipt depends on. Once one of them differs, the receipt is out of date. */
function planFingerprint(plan: Plan): string {
  const { cancelAt, periodUnit, hasScheduledPause, hasScheduledChange, hasUpcomingCoupon } = plan;
  const scheduled = [hasScheduledPause, hasScheduledChange, hasUpcomingCoupon];
  return [planStatus(plan), cancelAt, periodUnit, ...scheduled].join(' ');
}

/**
 * Creates the navigation state with the receipt of a change, from the subscriptions as they are
 * after it and the ids of those for which it was scheduled.
 */
export function createReceiptState(
  sentences: readonly string[],
  plans: readonly Plan[],
  scheduled: readonly string[] = [],
) {
  const fingerprints = Object.fromEntries(plans.map((plan) => [plan.subId, planFingerprint(plan)]));
  return { receipt: { sentences, day: currentDay(), fingerprints, scheduled } satisfies Receipt };
}

function currentDay(): string {
  return new Date().toDateString();
}

function parseReceipt(state: unknown): Receipt | null {
  const { receipt } = (state ?? {}) as { receipt?: Partial<Receipt> };
  return Array.isArray(receipt?.sentences) && receipt.fingerprints ? (receipt as Receipt) : null;
}

/**
 * Whether the navigation state has the receipt of a change of these subscriptions, be it out of date.
 * A URL that was typed by hand has none; going back can lead to another account's.
 */
export function hasReceipt(state: unknown, plans: readonly Plan[]): boolean {
  const receipt = parseReceipt(state);
  if (receipt === null) return false;
  const ids = Object.keys(receipt.fingerprints);
  return ids.length === 0 || plans.some(({ subId }) => ids.includes(subId));
}

/**
 * Returns the receipt's sentences from the navigation state, or none if the subscriptions have
 * changed since.
 */
export function readReceipt(state: unknown, plans: readonly Plan[]): readonly string[] {
  const receipt = parseReceipt(state);
  if (receipt?.day !== currentDay()) return [];
  const isCurrent = Object.entries(receipt.fingerprints).every(([subId, fingerprint]) =>
    plans.some((plan) => plan.subId === subId && planFingerprint(plan) === fingerprint),
  );
  return isCurrent ? receipt.sentences : [];
}

/** The plans for which the change of the receipt was scheduled. */
export function plansOfReceipt(state: unknown, plans: readonly Plan[]): readonly Plan[] {
  const scheduled = parseReceipt(state)?.scheduled;
  return Array.isArray(scheduled) ? plans.filter(({ subId }) => scheduled.includes(subId)) : [];
}

/**
 * What the receipt adds to the message that something scheduled was undone: that nothing was
 * charged, and when the plans renew.
 */
export function continuationSentences(plans: readonly Plan[], message: string): string[] {
  const unnamed = plans.filter(({ name }) => !message.includes(name));
  const continues = unnamed.length === 1 ? 'continues' : 'continue';
  const subject = unnamed.length > 0 ? `${formatPlanNames(unnamed)} ${continues}. ` : '';
  return [
    ...(plans.length > 0 ? [`${subject}You weren’t charged today.`] : []),
    ...renewalSentences(plans),
  ];
}

/**
 * The receipt after resuming: what it cost, when it renews, and whether the plan can be paused again.
 */
export function resumedSentences(
  plan: Plan,
  { amountDue, currencyCode }: Pick<ResumeEstimate, 'amountDue' | 'currencyCode'>,
): string[] {
  const charged =
    amountDue > 0
      ? `${formatCents(amountDue, currencyCode)} was charged today, taxes included.`
      : 'You weren’t charged today.';
  return [
    `${plan.name} is active again. ${charged}`,
    ...renewalSentences([plan]),
    canBePaused(plan) ? 'You can pause or cancel it anytime.' : 'You can cancel it anytime.',
  ];
}

/** When plans renew. What they cost then stands beside the receipt, with coupons and the bundle. */
function renewalSentences(plans: readonly Plan[]): string[] {
  const days = new Set(
    plans.flatMap(({ nextBillingAt }) => (nextBillingAt ? [formatDate(nextBillingAt)] : [])),
  );
  return [...days].map((day) => {
    const ofDay = plans.filter(
      ({ nextBillingAt }) => nextBillingAt && formatDate(nextBillingAt) === day,
    );
    const subject = plans.length > 1 ? formatPlanNames(ofDay) : 'It';
    return `${subject} ${ofDay.length > 1 ? 'renew' : 'renews'} on ${day}.`;
  });
}
