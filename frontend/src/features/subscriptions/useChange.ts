import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { hasCode, isFinal } from '@/lib/errors';
import { usePlansAfterChange } from '@/lib/planChanges';
import type { Hold } from '@/lib/useHeldStill';
import type { Order } from './api';

interface ChangeOptions<TFigures> {
  send: (order: Order, idempotencyKey: string) => Promise<TFigures>;
  /** Where the figures are cached that are shown before the change is sent. */
  estimateKey: QueryKey;
  /** Holds the screen still while the change is on its way and after it was made. */
  hold: Hold;
  /** Once it is done, with the plans read anew. */
  onDone: (answer: TFigures, plans: readonly Plan[]) => void;
}

/** Whether a refusal brings new figures along. */
function isEstimate(body: unknown): body is { quote: string } {
  const { quote, total, existingPlans } = (body ?? {}) as Record<string, unknown>;
  return typeof quote === 'string' && typeof total === 'number' && Array.isArray(existingPlans);
}

/**
 * A change that is shown, confirmed and sent.
 *
 * `step` says which dialog is open: the one that asks, or the one about a payment that did not go
 * through. After a refusal the plans are read anew, and so are the figures unless it brings new ones along,
 * so that what is asked next is asked about what is. While nobody knows how it ended the figures stay:
 * confirming them again asks about the same change.
 */
export function useChange<TFigures extends { quote: string }>({
  send,
  estimateKey,
  hold,
  onDone,
}: ChangeOptions<TFigures>) {
  const client = useQueryClient();
  const { settled, stale } = usePlansAfterChange();
  const [step, setStep] = useState<'closed' | 'asking' | 'declined'>('closed');

  const sendHolding = (order: Order, idempotencyKey: string) => {
    hold(true);
    return send(order, idempotencyKey);
  };

  const command = useCommand<TFigures, Order>(sendHolding, {
    onSuccess: async (answer) => {
      onDone(answer, await settled());
    },
    onError: (error) => {
      hold(false);
      stale();
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
