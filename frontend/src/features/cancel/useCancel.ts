import { useState } from 'react';
import { useNavigate } from 'react-router-dom';

import type { CancelAnswer, Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { ApiError } from '@/lib/errors';
import { notifyError } from '@/lib/notices';
import { paths } from '@/lib/paths';
import { usePlansAfterChange } from '@/lib/planChanges';
import { canBeCancelled } from '@/lib/plans';
import { toReceipt } from '@/lib/receipts';
import { areSame } from '@/lib/selection';
import type { Hold } from '@/lib/useHeldStill';
import { notify } from '@/stores/snackbar';
import { type CancelOrder, cancel } from './api';
import { receiptSentences, successMessage } from './endings';
import type { Leaving } from './useLeaving';

/** What an attempt that failed has done all the same, and the ids it was sent with. */
interface Attempt {
  done: readonly Plan[];
  sent: readonly string[];
}

/** The plans that a refusal brings along: what the change has made of them so far. */
function plansIn(error: Error): Plan[] | null {
  const { plans } = ((error instanceof ApiError && error.body) || {}) as { plans?: unknown };
  return Array.isArray(plans) ? plans : null;
}

/** Sends the rest of an attempt as the attempt was sent: the server then knows what there is to finish. */
function idsToSend({ chosen }: Leaving, attempt: Attempt | null): readonly string[] {
  const ids = chosen.map(({ subId }) => subId);
  if (!attempt) return ids;
  const whole = [...attempt.done, ...chosen].map(({ subId }) => subId);
  return areSame(whole, attempt.sent) ? attempt.sent : ids;
}

/**
 * Cancels what is chosen, says truly what ends when, and goes to the account home with the receipt.
 *
 * `hold` keeps the screen as it is until that has come. After a refusal the plans are read anew, and
 * `done` names those that were cancelled all the same: pressing again finishes the rest.
 */
export function useCancel(leaving: Leaving, hold: Hold) {
  const navigate = useNavigate();
  const { taken, stale } = usePlansAfterChange();
  const [attempt, setAttempt] = useState<Attempt | null>(null);

  const send = (order: CancelOrder, idempotencyKey: string) => {
    hold(true);
    return cancel(order, idempotencyKey);
  };

  const command = useCommand<CancelAnswer, CancelOrder>(send, {
    onSuccess: ({ plans, cancelled }) => {
      taken(plans);
      notify(successMessage({ cancelled, before: leaving.chosen, after: plans }));
      const about = plans.filter(({ subId }) => cancelled.some((one) => one.subId === subId));
      void navigate(paths.dashboard, { state: toReceipt(receiptSentences(cancelled), about) });
    },
    onError: (error, { subscriptionIds: sent }) => {
      hold(false);
      const plans = plansIn(error);
      if (!plans) return stale();
      taken(plans);
      const left = plans.filter(canBeCancelled).map(({ subId }) => subId);
      const done = leaving.chosen.filter(({ subId }) => !left.includes(subId));
      setAttempt({ done: [...(attempt?.done ?? []), ...done], sent });
      // Where nothing of it is left, the form goes, and cannot say it.
      if (done.length === leaving.chosen.length) notifyError(error);
    },
  });
  return {
    ...command,
    done: command.isError ? (attempt?.done ?? []) : [],
    cancel: (survey: Omit<CancelOrder, 'subscriptionIds'>) =>
      command.mutate({ ...survey, subscriptionIds: idsToSend(leaving, attempt) }),
  };
}
