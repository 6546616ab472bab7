import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { useCommand } from '@/lib/command';
import { hasCode } from '@/lib/errors';
import { usePlansAfterChange } from '@/lib/planChanges';
import type { Order } from './api';

interface ChangeOptions<TFigures> {
  send: (order: Order, idempotencyKey: string) => Promise<TFigures>;
  /** Where the figures are cached that are shown before the change is sent. */
  estimateKey: QueryKey;
  /** Once it is done and the plans are read anew. */
  onDone: (answer: TFigures) => void;
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
 * through. New figures in a refusal take the place of those shown; after any other refusal the figures
 * and the plans are read anew, so that what is asked next is asked about what is.
 */
export function useChange<TFigures extends { quote: string }>({
  send,
  estimateKey,
  onDone,
}: ChangeOptions<TFigures>) {
  const client = useQueryClient();
  const { settled, stale } = usePlansAfterChange();
  const [step, setStep] = useState<'closed' | 'asking' | 'declined'>('closed');

  const readAnew = () => {
    stale();
    void client.invalidateQueries({ queryKey: estimateKey });
  };

  const command = useCommand<TFigures, Order>(send, {
    onSuccess: async (answer) => {
      await settled();
      onDone(answer);
    },
    onError: (error) => {
      if (hasCode(error, 'quote_changed') && isEstimate(error.body)) {
        client.setQueryData(estimateKey, error.body);
        return;
      }
      readAnew();
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
