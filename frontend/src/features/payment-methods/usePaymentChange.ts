import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { keys, paymentsOptions } from '@/lib/api/queries';
import type { Payments, PaymentsChange } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { hasCode, isFinal } from '@/lib/errors';
import { notify, useSnackbar } from '@/stores/snackbar';
import { changePaymentMethods, type Order } from './api';
import { failureWords } from './words';

/** What is asked before it is done, with what was due when it was asked. */
interface Asked {
  order: Order;
  amountDue: number;
}

/** Whether this charges what is due: a new number or account does, and so does a choice of default. */
function collects({ operationType, token }: Order): boolean {
  return operationType === 'SETPRIMARY' || token !== undefined;
}

/** What is done to which: a quote or a token is another each time, also for a double click. */
function aboutOf({ operationType, paymentSourceId = '' }: Order): string {
  return `${operationType} ${paymentSourceId}`;
}

function paymentsIn(body: unknown): Payments | null {
  const { card, paypal, amountDue, quote } = (body ?? {}) as Partial<Payments>;
  if (!Array.isArray(card) || !Array.isArray(paypal)) return null;
  if (typeof amountDue !== 'number' || typeof quote !== 'string') return null;
  return { card, paypal, amountDue, quote };
}

interface PaymentChangeOptions {
  onDone: (answer: PaymentsChange, order: Order) => void;
  onRefused?: (error: Error, order: Order) => void;
}

/**
 * A change of the payment methods, on a screen that has read them.
 *
 * One that charges what is due is asked about first, with the amount, and again where that has changed
 * meanwhile. While nobody knows how it ended it stays asked: confirming again asks about the same change.
 */
export function usePaymentChange({ onDone, onRefused }: PaymentChangeOptions) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isAsking, setAsking] = useState(false);
  // Kept here as well as by the command, which tells its state a moment after the press: a radio that nothing
  // checks in the same moment springs back.
  const [submitted, setSubmitted] = useState<Order>();

  const ask = (order: Order, { amountDue, quote }: Payments) => {
    setAsked({ order: { ...order, quote }, amountDue });
    setAsking(true);
  };

  const command = useCommand<PaymentsChange, Order>(changePaymentMethods, {
    about: aboutOf,
    onSuccess: (answer, order) => {
      const lists = paymentsIn(answer);
      if (lists) client.setQueryData(paymentsOptions.queryKey, lists);
      void client.invalidateQueries({ queryKey: keys.account.all });
      useSnackbar.getState().hide();
      setAsking(false);
      onDone(answer, order);
    },
    onError: (error, order) => {
      const news = hasCode(error, 'quote_changed') ? paymentsIn(error.body) : null;
      if (news) {
        client.setQueryData(paymentsOptions.queryKey, news);
        return ask(order, news);
      }
      notify(failureWords(error), isFinal(error) ? 'error' : 'warning');
      if (isFinal(error)) {
        setAsking(false);
        void client.invalidateQueries({ queryKey: keys.account.all });
      }
      onRefused?.(error, order);
    },
  });

  const submit = (order: Order) => {
    // It would not be sent, and what is chosen would no longer be what is being done.
    if (command.isPending) return;
    command.reset();
    setSubmitted(order);
    const payments = client.getQueryData(paymentsOptions.queryKey);
    if (!payments || !collects(order)) return command.mutate(order);
    if (payments.amountDue > 0) return ask(order, payments);
    command.mutate({ ...order, quote: payments.quote });
  };

  const underWay = command.isPending || command.isIdle || isAsking ? submitted : undefined;

  return {
    command,
    asked,
    isAsking,
    submit,
    /** The one chosen as the default, from the choice until it is one, or is not. */
    chosenId: underWay?.operationType === 'SETPRIMARY' ? underWay.paymentSourceId : undefined,
    /** Sends what was asked about, or, while it is being confirmed, asks how that ended. */
    confirm: () => asked && command.mutate(asked.order),
    cancel: () => {
      if (command.isPending) return;
      setAsking(false);
      setSubmitted(undefined);
    },
    /** Whether it may have been done, although no answer said so; then the same has to be sent again. */
    unsettled: command.error && !isFinal(command.error) ? command.variables : undefined,
  };
}

export type PaymentChange = ReturnType<typeof usePaymentChange>;
