import {
  useCancelScheduledPause,
  useKeepSubscription,
  useUndoScheduledChange,
} from '@/domain/changes/undoScheduled';
import { billsBeforeEnd, isEnding, isLive, isPaused, isSold } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate, formatPrice } from '@/lib/formats';

/** The scheduled changes of a subscription that can be undone. */
export type Undoable = 'cancellation' | 'change' | 'pause';

/** The scheduled change of a plan; null if nothing is scheduled. */
export function findUndoable(plan: Plan): Undoable | null {
  if (isEnding(plan)) return 'cancellation';
  if (plan.hasScheduledChange) return 'change';
  return plan.hasScheduledPause ? 'pause' : null;
}

interface UndoMessages {
  title: string;
  /** What is scheduled, and what happens without it. */
  sentences: readonly string[];
  confirm: string;
}

function datePhrase(at: string | null | undefined): string {
  return at ? `on ${formatDate(at)}` : 'at the end of your billing cycle';
}

/** The text of the confirmation dialog. */
export function undoMessages(undoable: Undoable, plan: Plan): UndoMessages {
  const { name, cancelAt, pauseDate, scheduledPlan } = plan;
  const price = formatPrice(plan.amount, plan);
  const messages: Record<Undoable, UndoMessages> = {
    cancellation: {
      title: `Keep ${name}?`,
      sentences: [
        `Your access to ${name} is set to end ${datePhrase(cancelAt)}.`,
        billsBeforeEnd(plan)
          ? `If you keep it, it goes on after that at ${price}, before discounts and taxes. You won’t be charged for this today.`
          : `If you keep it, it renews ${datePhrase(cancelAt)} at ${price}, before discounts and taxes. You won’t be charged for this today.`,
        'Any pause or plan change you had scheduled comes back.',
      ],
      confirm: `Keep ${name}`,
    },
    pause: {
      title: `Undo the pause of ${name}?`,
      sentences: [
        `${name} is set to pause ${datePhrase(pauseDate)}.`,
        `Without the pause, it renews ${datePhrase(pauseDate)} at ${price}, before discounts and taxes. You won’t be charged for this today.`,
      ],
      confirm: 'Undo pause',
    },
    change: {
      title: `Undo the change to ${name}?`,
      sentences: [
        scheduledPlan
          ? `${name} is set to change to ${formatPrice(scheduledPlan.amount, scheduledPlan)} ${datePhrase(scheduledPlan.at)}.`
          : `${name} is set to change.`,
        `Without the change, it stays at ${price}. You won’t be charged for this today.`,
      ],
      confirm: 'Undo change',
    },
  };
  return messages[undoable];
}

/**
 * The current state of a subscription with nothing scheduled, for a link that was opened too late.
 */
export function nothingScheduledMessage(plan: Plan | undefined): string {
  if (!plan) return 'That subscription isn’t in this account. Do you have another account?';
  if (!isLive(plan)) {
    const restart = isSold(plan) ? ' You can start it again from your account.' : '';
    return `${plan.name} has ended.${restart}`;
  }
  if (isPaused(plan)) return `${plan.name} is paused. You can resume it from your account.`;
  return `${plan.name} continues. Nothing is scheduled for it.`;
}

/** The dialog shows the failure. */
const leaveToDialog = () => {};

/** The mutations that undo each scheduled change, for a dialog. */
export function useUndoActions(onUndone: (message: string, plans: readonly Plan[]) => void) {
  const cancellation = useKeepSubscription(onUndone, leaveToDialog);
  const pause = useCancelScheduledPause(onUndone, leaveToDialog);
  const change = useUndoScheduledChange(onUndone, leaveToDialog);
  return { cancellation, pause, change };
}
