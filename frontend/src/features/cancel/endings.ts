import type { Cancelled, Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { isEnding, isInTrial, isLive, isPaused, namesOf } from '@/lib/plans';

/** Plans that would end together: at a date, or at once. */
interface Ending {
  kind: 'term' | 'trial' | 'atOnce';
  /** Null at once, and where no date is known. */
  at: string | null;
  plans: Plan[];
}

/** When cancelling a plan would end it; null where that is at once, or not known. */
function endOf(plan: Plan): string | null {
  if (isPaused(plan)) return null;
  return plan.hasScheduledPause ? plan.pauseDate : plan.nextBillingAt;
}

function endingOf(plan: Plan): Omit<Ending, 'plans'> {
  if (isPaused(plan)) return { kind: 'atOnce', at: null };
  return { kind: isInTrial(plan) ? 'trial' : 'term', at: endOf(plan) };
}

/** What cancelling these plans would end, and when: by the day, in the plans' order. */
export function endingsOf(plans: readonly Plan[]): Ending[] {
  const endings = new Map<string, Ending>();
  for (const plan of plans) {
    const ending = endingOf(plan);
    const day = `${ending.kind} ${ending.at && formatDate(ending.at)}`;
    const together = endings.get(day)?.plans ?? [];
    endings.set(day, { ...ending, plans: [...together, plan] });
  }
  return [...endings.values()];
}

/** The literal message, which is true only where everything ends with its term. */
const ALL_AT_TERM_END = 'All your subscriptions will be cancel at the end of current term';

const SENTENCE = new Intl.ListFormat('en-US', { type: 'conjunction' });

interface Done {
  cancelled: readonly Cancelled[];
  /** The plans that were cancelled, as they were before. */
  before: readonly Plan[];
  /** All plans as they now are. */
  after: readonly Plan[];
}

/** The message of the success: each plan with its date, unless the literal one is true. */
export function successMessage({ cancelled, before, after }: Done): string {
  const atTermEnd = cancelled.every(({ atOnce }) => !atOnce) && !before.some(isInTrial);
  if (atTermEnd && after.filter(isLive).every(isEnding)) return ALL_AT_TERM_END;
  const said = endsTogether(cancelled).map(([{ atOnce, endsAt }, names]) => {
    return atOnce
      ? `${names} ended at once${endsAt ? `, on ${formatDate(endsAt)}` : ''}`
      : `your access to ${names} ends ${dayOf(endsAt)}`;
  });
  return `${capitalized(SENTENCE.format(said))}.`;
}

/** What was cancelled by its day, with the names of what ends then. */
function endsTogether(cancelled: readonly Cancelled[]): [Cancelled, string][] {
  const days = new Map<string, Cancelled[]>();
  for (const one of cancelled) {
    const day = `${one.atOnce} ${dayOf(one.endsAt)}`;
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return [...days.values()].flatMap((ended) =>
    ended.slice(0, 1).map((first): [Cancelled, string] => [first, namesOf(ended)]),
  );
}

function dayOf(at: string | null): string {
  return at ? `on ${formatDate(at)}` : 'at the end of your billing cycle';
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The receipt above the account home: what ended or will, what that costs, and how to undo it. */
export function receiptSentences(cancelled: readonly Cancelled[]): string[] {
  const ended = cancelled.filter(({ atOnce }) => atOnce);
  const ending = cancelled.filter(({ atOnce }) => !atOnce);
  const dated = endsTogether(ending).map(
    ([{ endsAt }, names]) =>
      `Your access to ${names} ends ${dayOf(endsAt)}. Until then nothing changes.`,
  );
  return [
    ...(ended.length > 0 ? [`${namesOf(ended)} ${has(ended)} ended today.`] : []),
    ...dated,
    `Nothing was charged, and nothing more is billed for ${cancelled.length === 1 ? 'it' : 'them'}.`,
    ...(ending.length > 0
      ? ['Changed your mind? Press ‘Keep my subscription’ any time before it ends.']
      : []),
    ...(ended.length > 0
      ? [`You can start ${namesOf(ended)} again any time: see ‘Ended subscriptions’.`]
      : []),
  ];
}

function has(plans: readonly unknown[]): string {
  return plans.length === 1 ? 'has' : 'have';
}
