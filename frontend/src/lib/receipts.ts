import type { Plan } from '@/lib/api/types';
import { formatCents, formatDate, formatPrice } from '@/lib/formats';
import { statusOf } from '@/lib/plans';

/** What was done, as it travels to a screen in the navigation's state. */
interface Receipt {
  sentences: readonly string[];
  /** The day it is of: it speaks of today. */
  day: string;
  /** How the change left the subscriptions that it is about, by id. */
  left: Readonly<Record<string, string>>;
}

/** What a receipt speaks of: once any of it is different, the receipt is no longer true. */
function stateOf(plan: Plan): string {
  const { cancelAt, periodUnit, hasScheduledPause, hasScheduledChange, hasUpcomingCoupon } = plan;
  const scheduled = [hasScheduledPause, hasScheduledChange, hasUpcomingCoupon];
  return [statusOf(plan), cancelAt, periodUnit, ...scheduled].join(' ');
}

/** A navigation's state that says what was done to these subscriptions, given as the change left them. */
export function toReceipt(sentences: readonly string[], plans: readonly Plan[]) {
  const left = Object.fromEntries(plans.map((plan) => [plan.subId, stateOf(plan)]));
  return { receipt: { sentences, day: today(), left } satisfies Receipt };
}

function today(): string {
  return new Date().toDateString();
}

function receiptOf(state: unknown): Receipt | null {
  const { receipt } = (state ?? {}) as { receipt?: Partial<Receipt> };
  return Array.isArray(receipt?.sentences) && receipt.left ? (receipt as Receipt) : null;
}

/** What a navigation's state says was done, as long as the subscriptions still are so; none otherwise. */
export function receiptIn(state: unknown, plans: readonly Plan[]): readonly string[] {
  const receipt = receiptOf(state);
  if (receipt?.day !== today()) return [];
  const isTrue = Object.entries(receipt.left).every(([subId, left]) =>
    plans.some((plan) => plan.subId === subId && stateOf(plan) === left),
  );
  return isTrue ? receipt.sentences : [];
}

/** After something was taken back: what the plan costs again, and when. */
export function goesOnSentences(plan: Plan): string[] {
  return [`${plan.name} goes on as before. Nothing was charged today.`, ...nextBillSentences(plan)];
}

/** After a pause was ended: what that cost, what comes next, and that it can be paused again. */
export function resumedSentences(plan: Plan, amountDue: number): string[] {
  const charged =
    amountDue > 0
      ? `${formatCents(amountDue)} was charged today, taxes included.`
      : 'Nothing was charged today.';
  return [
    `${plan.name} is active again from today. ${charged}`,
    ...nextBillSentences(plan),
    'You can pause or cancel it again any time.',
  ];
}

function nextBillSentences({ nextBillingAt, amount, periodUnit }: Plan): string[] {
  if (!nextBillingAt) return [];
  const price = formatPrice(amount, periodUnit);
  return [
    `Its next bill comes on ${formatDate(nextBillingAt)}, at ${price} before discounts and taxes.`,
  ];
}
