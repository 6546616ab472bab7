import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlansAfterChange } from '@/domain/changes/usePlansAfterChange';
import { hasCode, isFinal } from '@/lib/api/errors';
import type { Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import type { PlanChangeRequest } from './api';

interface ChangeOptions<TFigures> {
  send: (request: PlanChangeRequest, idempotencyKey: string) => Promise<TFigures>;
  /** The query key of the estimate that was shown. */
  estimateKey: QueryKey;
  /** Keeps the screen unchanged from the request until the next screen. */
  setFrozen: SetFrozen;
  /** Runs after success, with the refetched plans. */
  onDone: (answer: TFigures, plans: readonly Plan[]) => void;
}

/** Whether an error response contains new figures. */
function isEstimate(body: unknown): body is { quote: string } {
  const { quote, total, existingPlans } = (body ?? {}) as Record<string, unknown>;
  return typeof quote === 'string' && typeof total === 'number' && Array.isArray(existingPlans);
}

/**
 * A change of plans with estimate and confirmation.
 *
 * `step` says which dialog is open: the confirmation, or the one about a failed payment. After a
 * failure the plans are refetched, and so is the estimate unless the response contains a new one.
 * While the outcome is unknown the estimate stays: confirming again repeats the same request.
 */
export function usePlanChange<TFigures extends { quote: string }>({
  send,
  estimateKey,
  setFrozen,
  onDone,
}: ChangeOptions<TFigures>) {
  const client = useQueryClient();
  const { refetchPlans } = usePlansAfterChange();
  const [step, setStep] = useState<'closed' | 'asking' | 'declined'>('closed');

  const sendFrozen = (request: PlanChangeRequest, idempotencyKey: string) => {
    setFrozen(true);
    return send(request, idempotencyKey);
  };

  const command = useCommand<TFigures, PlanChangeRequest>(sendFrozen, {
    onSuccess: async (answer) => {
      onDone(answer, await refetchPlans());
    },
    onError: (error) => {
      setFrozen(false);
      if (hasCode(error, 'quote_changed') && isEstimate(error.body)) {
        client.setQueryData(estimateKey, error.body);
      } else if (isFinal(error)) {
        void client.invalidateQueries({ queryKey: estimateKey });
      }
      if (hasCode(error, 'payment_processing_failed')) setStep('declined');
    },
  });

  return {
    step,
    command,
    ask: () => {
      command.reset();
      setStep('asking');
    },
    close: () => {
      if (!command.isPending) setStep('closed');
    },
  };
}
