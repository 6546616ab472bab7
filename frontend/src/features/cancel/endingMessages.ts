import {
  billsBeforeEnd,
  endsAtOnce,
  formatPlanNames,
  isEnding,
  isInTrial,
  isLive,
  isPaused,
  isSold,
} from '@/domain/plans/plans';
import type { CancelledSubscription, Plan } from '@/lib/api/types';
import { formatDate, formatList } from '@/lib/formats';

/** Plans that would end on the same date, or at once. */
interface Ending {
  kind: 'term' | 'trial' | 'contract' | 'atOnce';
  /** Null for an immediate end, and if the date is unknown. */
  at: string | null;
  plans: Plan[];
}

/** When access to a plan would end after a cancellation; null if at once, or unknown. */
function accessEnd(plan: Plan): string | null {
  if (endsAtOnce(plan)) return null;
  return plan.hasScheduledPause ? plan.pauseDate : plan.nextBillingAt;
}

function endingFor(plan: Plan): Omit<Ending, 'plans'> {
  if (endsAtOnce(plan)) return { kind: 'atOnce', at: null };
  if (plan.contractEndsAt) return { kind: 'contract', at: plan.contractEndsAt };
  return { kind: isInTrial(plan) ? 'trial' : 'term', at: accessEnd(plan) };
}

/** Groups plans by the day on which a cancellation would end them, in the plans' order. */
export function groupEndings(plans: readonly Plan[]): Ending[] {
  const endings = new Map<string, Ending>();
  for (const plan of plans) {
    const ending = endingFor(plan);
    const day = `${ending.kind} ${ending.at && formatDate(ending.at)}`;
    const plansOfDay = endings.get(day)?.plans ?? [];
    endings.set(day, { ...ending, plans: [...plansOfDay, plan] });
  }
  return [...endings.values()];
}

/** That plans end, with the reason why not later; "immediately" follows it. */
export function endsAtOncePhrase(plans: readonly Plan[]): string {
  const names = formatPlanNames(plans);
  const isSingle = plans.length === 1;
  if (plans.every(isPaused)) {
    return `${names} ${isSingle ? 'is paused and ends' : 'are paused and end'}`;
  }
  if (plans.some(isPaused)) return `${names} are paused or haven’t started yet and end`;
  return `${names} ${isSingle ? 'hasn’t started yet and ends' : 'haven’t started yet and end'}`;
}

/** The specified message, which is true only if everything ends with its term. */
const ALL_AT_TERM_END = 'All your subscriptions will be cancel at the end of current term';

interface CancellationResult {
  cancelled: readonly CancelledSubscription[];
  /** The canceled plans before the cancellation. */
  before: readonly Plan[];
  /** All plans after the cancellation. */
  after: readonly Plan[];
  /** What is still owed for the canceled plans: `$6.99`; null if nothing is. */
  overdue?: string | null;
  /** Whether charges waited for a bill, which an immediate end has brought. */
  hasUnbilled?: boolean;
}

/** What is charged although nothing more is: `, except the $6.99 you still owe`; empty if nothing is. */
export function exceptionPhrase(
  except: 'except' | 'except for',
  overdue: string | null,
  hasUnbilled: boolean,
): string {
  const charges = [
    ...(overdue ? [`the ${overdue} you still owe`] : []),
    ...(hasUnbilled ? ['charges that aren’t billed yet'] : []),
  ];
  return charges.length > 0 ? `, ${except} ${formatList(charges)}` : '';
}

/** The specified message, where it is true. */
function specifiedSentences({ cancelled, before, after }: CancellationResult): string[] {
  const isBilledOn = before.some(isInTrial) || after.some(billsBeforeEnd);
  const atTermEnd = cancelled.every(({ atOnce }) => !atOnce) && !isBilledOn;
  return atTermEnd && after.filter(isLive).every(isEnding) ? [ALL_AT_TERM_END] : [];
}

/** Groups canceled subscriptions by end date, with the names of each group. */
function groupByEndDate(
  cancelled: readonly CancelledSubscription[],
): [CancelledSubscription, string][] {
  const days = new Map<string, CancelledSubscription[]>();
  for (const subscription of cancelled) {
    const day = `${subscription.atOnce} ${endDatePhrase(subscription.endsAt)}`;
    days.set(day, [...(days.get(day) ?? []), subscription]);
  }
  return [...days.values()].flatMap((ended) =>
    ended
      .slice(0, 1)
      .map((first): [CancelledSubscription, string] => [first, formatPlanNames(ended)]),
  );
}

function endDatePhrase(at: string | null): string {
  return at ? `on ${formatDate(at)}` : 'at the end of your billing cycle';
}

/** The receipt above the dashboard: what ended or will end, what it costs, and how to undo it. */
export function cancellationReceipt(result: CancellationResult): string[] {
  const { cancelled, after, overdue = null, hasUnbilled = false } = result;
  const ids = cancelled.map(({ subId }) => subId);
  const billed = after.filter((plan) => ids.includes(plan.subId) && billsBeforeEnd(plan));
  const over = cancelled.filter(({ subId }) => !billed.some((plan) => plan.subId === subId));
  const ended = cancelled.filter(({ atOnce }) => atOnce);
  const ending = cancelled.filter(({ atOnce }) => !atOnce);
  const startable = result.before.filter(
    (plan) => isSold(plan) && ended.some(({ subId }) => subId === plan.subId),
  );
  const endSentences = groupByEndDate(ending).map(
    ([{ endsAt }, names]) =>
      `Your access to ${names} ends ${endDatePhrase(endsAt)}. Nothing changes until then.`,
  );
  return [
    ...specifiedSentences(result),
    ...(ended.length > 0 ? [`${formatPlanNames(ended)} ${hasOrHave(ended)} ended today.`] : []),
    ...endSentences,
    ...chargeSentences(over, billed, {
      exception: exceptionPhrase('except for', overdue, hasUnbilled),
      isFreeToday: !hasUnbilled || ended.length === 0,
    }),
    ...(ending.length > 0
      ? ['Changed your mind? Press ‘Keep my subscription’ anytime before it ends.']
      : []),
    ...(startable.length > 0
      ? [`You can start ${formatPlanNames(startable)} again anytime under ‘Ended subscriptions’.`]
      : []),
  ];
}

/** `over` are not billed again, `billed` are until they end. */
function chargeSentences(
  over: readonly CancelledSubscription[],
  billed: readonly Plan[],
  { exception, isFreeToday }: { exception: string; isFreeToday: boolean },
): string[] {
  if (billed.length === 0) {
    const it = over.length === 1 ? 'it' : 'them';
    return [
      isFreeToday
        ? `You weren’t charged today, and you won’t be charged for ${it} again${exception}.`
        : `You won’t be charged for ${it} again${exception}.`,
    ];
  }
  const last = `You’re billed for ${formatPlanNames(billed)} until ${billed.length === 1 ? 'it ends' : 'they end'}.`;
  return [
    isFreeToday ? `You weren’t charged today. ${last}` : last,
    ...(over.length > 0
      ? [`You won’t be charged for ${formatPlanNames(over)} again${exception}.`]
      : []),
  ];
}

function hasOrHave(plans: readonly unknown[]): string {
  return plans.length === 1 ? 'has' : 'have';
}
