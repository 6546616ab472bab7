import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeFailureMessage, hasCode, isFinal } from '@/lib/api/errors';
import { paymentsOptions } from '@/lib/api/queries';
import type { Payments, PaymentsChange } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { showSnackbar, useSnackbar } from '@/stores/snackbar';
import { type ChangeRequest, changePaymentMethods } from './api';

/** A request waiting for confirmation, with the amount due that was shown. */
interface Question {
  request: ChangeRequest;
  amountDue: number;
  currencyCode: string;
}

/**
 * Whether this request charges the amount due: a new card or account does, and so does a new
 * default.
 */
function chargesAmountDue({ operationType, token }: ChangeRequest): boolean {
  return operationType === 'SETPRIMARY' || token !== undefined;
}

/**
 * The operation and its target, without quote and token, which differ even within a double click.
 */
function describeTarget({ operationType, paymentSourceId = '' }: ChangeRequest): string {
  return `${operationType} ${paymentSourceId}`;
}

function paymentsFromBody(body: unknown): Payments | null {
  const { card, paypal, other, amountDue, currencyCode, quote } = (body ?? {}) as Partial<Payments>;
  if (!Array.isArray(card) || !Array.isArray(paypal) || !Array.isArray(other)) return null;
  if (typeof amountDue !== 'number' || typeof quote !== 'string' || !currencyCode) return null;
  return { card, paypal, other, amountDue, currencyCode, quote };
}

interface PaymentChangeOptions {
  onDone: (answer: PaymentsChange, request: ChangeRequest) => void;
  onRefused?: (error: Error, request: ChangeRequest) => void;
}

/**
 * A change of the payment methods, on a screen that has loaded them.
 *
 * A change that charges the amount due has to be confirmed first, and again if the amount has
 * changed. While its outcome is unknown the question stays open: confirming again repeats the same
 * request.
 */
export function usePaymentChange({ onDone, onRefused }: PaymentChangeOptions) {
  const client = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  // Kept here too, because the command updates its state too late: a radio button that is not
  // checked in the same render springs back.
  const [submittedRequest, setSubmittedRequest] = useState<ChangeRequest>();

  const askFirst = (request: ChangeRequest, { amountDue, currencyCode, quote }: Payments) => {
    setQuestion({ request: { ...request, quote }, amountDue, currencyCode });
    setIsAsking(true);
  };

  const command = useCommand<PaymentsChange, ChangeRequest>(changePaymentMethods, {
    targetOf: describeTarget,
    onSuccess: (answer, request) => {
      const newLists = paymentsFromBody(answer);
      if (newLists) client.setQueryData(paymentsOptions.queryKey, newLists);
      useSnackbar.getState().hide();
      setIsAsking(false);
      onDone(answer, request);
    },
    onError: (error, request) => {
      const newPayments = hasCode(error, 'quote_changed') ? paymentsFromBody(error.body) : null;
      if (newPayments) {
        client.setQueryData(paymentsOptions.queryKey, newPayments);
        return askFirst(request, newPayments);
      }
      showSnackbar(changeFailureMessage(error), isFinal(error) ? 'error' : 'warning');
      if (isFinal(error)) setIsAsking(false);
      onRefused?.(error, request);
    },
  });

  const submit = (request: ChangeRequest) => {
    // The command would ignore it, and the shown choice would no longer match the running request.
    if (command.isPending) return;
    command.reset();
    setSubmittedRequest(request);
    const payments = client.getQueryData(paymentsOptions.queryKey);
    if (!payments || !chargesAmountDue(request)) return command.mutate(request);
    if (payments.amountDue > 0) return askFirst(request, payments);
    command.mutate({ ...request, quote: payments.quote });
  };

  const pendingRequest =
    command.isPending || command.isIdle || isAsking ? submittedRequest : undefined;

  return {
    command,
    question,
    isAsking,
    submit,
    /** The payment method chosen as the default, until the request settles. */
    chosenId:
      pendingRequest?.operationType === 'SETPRIMARY' ? pendingRequest.paymentSourceId : undefined,
    /** Sends the confirmed request, or repeats it while its outcome is unknown. */
    confirm: () => question && command.mutate(question.request),
    cancel: () => {
      if (command.isPending) return;
      // The new amount was told in the question.
      if (hasCode(command.error, 'quote_changed')) command.reset();
      setIsAsking(false);
      setSubmittedRequest(undefined);
    },
    /** The request whose outcome is unknown, which has to be repeated unchanged. */
    unsettled: command.error && !isFinal(command.error) ? command.variables : undefined,
  };
}

export type PaymentChange = ReturnType<typeof usePaymentChange>;
