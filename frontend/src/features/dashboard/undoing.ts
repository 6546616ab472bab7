import type { Plan } from '@/lib/api/types';
import { formatDate, formatPrice } from '@/lib/formats';
import { useCancelScheduledPause, useKeepSubscription, useUndoChange } from '@/lib/planChanges';
import { isEnding, isLive, isPaused } from '@/lib/plans';

/** What is scheduled on a subscription and can be taken back. */
export type Undoable = 'cancellation' | 'change' | 'pause';

/** The one thing that is scheduled on a plan; null where there is nothing to take back. */
export function undoableOf(plan: Plan): Undoable | null {
  if (isEnding(plan)) return 'cancellation';
  if (plan.hasScheduledChange) return 'change';
  return plan.hasScheduledPause ? 'pause' : null;
}

interface Words {
  title: string;
  /** What is going to happen, and what happens instead. */
  sentences: readonly string[];
  confirm: string;
}

function dayOf(at: string | null | undefined): string {
  return at ? `on ${formatDate(at)}` : 'at the end of your billing cycle';
}

/** What the question says before something is taken back. */
export function undoWords(undoable: Undoable, plan: Plan): Words {
  const { name, cancelAt, pauseDate, scheduledPlan } = plan;
  const price = formatPrice(plan.amount, plan.periodUnit);
  const words: Record<Undoable, Words> = {
    cancellation: {
      title: `Keep ${name}?`,
      sentences: [
        `Your access to ${name} is set to end ${dayOf(cancelAt)}.`,
        `If you keep it, it goes on ${dayOf(cancelAt)} as before: ${price}, before discounts and taxes. Nothing is charged today.`,
        'A pause or a change of plan that was scheduled before you cancelled is scheduled again.',
      ],
      confirm: `Keep ${name}`,
    },
    pause: {
      title: `Cancel the pause of ${name}?`,
      sentences: [
        `${name} is set to pause ${dayOf(pauseDate)}.`,
        `Without the pause it renews ${dayOf(pauseDate)} as before: ${price}, before discounts and taxes. Nothing is charged today.`,
      ],
      confirm: 'Cancel the pause',
    },
    change: {
      title: `Undo the change of ${name}?`,
      sentences: [
        scheduledPlan
          ? `${name} is set to change to ${formatPrice(scheduledPlan.amount, scheduledPlan.periodUnit)} ${dayOf(scheduledPlan.at)}.`
          : `${name} is set to change.`,
        `Without the change it stays at ${price}. Nothing is charged today.`,
      ],
      confirm: 'Undo the change',
    },
  };
  return words[undoable];
}

/** What a subscription is now, where a link about something scheduled comes too late. */
export function nothingScheduledWords(plan: Plan | undefined): string {
  if (!plan) return 'That subscription is not in this account. Is it in another one of yours?';
  if (!isLive(plan)) return `${plan.name} has ended. You can start it again from your account.`;
  if (isPaused(plan)) return `${plan.name} is paused. You can resume it from your account.`;
  return `${plan.name} goes on as it is: nothing is scheduled for it.`;
}

/** Each way of taking something back; `onUndone` gets the words of the success and the plan as it then is. */
export function useUndoing(onUndone: (message: string, plans: readonly Plan[]) => void) {
  const cancellation = useKeepSubscription(onUndone);
  const pause = useCancelScheduledPause(onUndone);
  const change = useUndoChange(onUndone);
  return { cancellation, pause, change };
}
