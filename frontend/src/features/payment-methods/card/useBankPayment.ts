import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import { changePaymentMethods, createPaymentIntent } from '@/features/payment-methods/shared/api';
import {
  AUTHORIZATION_TIMEOUT_MS,
  type AuthorizationFailure,
  describeAuthorizationFailure,
} from '@/features/payment-methods/shared/bankAuthorization';
import { changeMessages } from '@/features/payment-methods/shared/messages';
import { withTimeout } from '@/features/payment-methods/shared/withTimeout';
import { hasCode, isFinal, isUnconfirmed } from '@/lib/api/errors';
import { postJson } from '@/lib/api/http';
import { refetchAccount } from '@/lib/api/refetchAccount';
import type { PaymentSource } from '@/lib/api/types';
import { createIdempotencyKey, sendUntilSettled, useCommand } from '@/lib/api/useCommand';
import type { ChargebeeInstance, PaymentIntent } from '@/lib/chargebee/types';
import { paths } from '@/lib/paths';
import { showSnackbar } from '@/stores/snackbar';

/** What is paid: the amount due, or the charges of a change. */
interface Payment {
  paymentSourceId: string;
  quote: string;
  charge: DeclinedCharge | null;
}

const CONFIRMATION_SPENT: AuthorizationFailure = {
  message: 'Your bank’s confirmation has expired. Nothing was charged. Please try again.',
  tone: 'info',
};

/** What an intent is for: a charge of a change in cents, or what the quote says is due. */
type Cost = { amount: number; currencyCode: string } | { quote: string };

function listCosts({ quote, charge }: Payment): Cost[] {
  if (!charge) return [{ quote }];
  return charge.amounts.map((amount) => ({ amount, currencyCode: charge.currencyCode }));
}

/** Has the card's bank authorize a payment. Throws the error of the API or of the script. */
async function authorizePayment(
  instance: ChargebeeInstance,
  paymentSourceId: string,
  cost: Cost,
): Promise<PaymentIntent> {
  const key = createIdempotencyKey();
  const body = { paymentsource: 'CARD' as const, paymentSourceId, ...cost };
  const intent = await sendUntilSettled(() => createPaymentIntent(body, key));
  // The bank may answer minutes later, when this tab has another subscriber's session.
  return sendUntilSettled(async () => {
    const handler = await instance.load3DSHandler();
    handler.setPaymentIntent(intent);
    return withTimeout(AUTHORIZATION_TIMEOUT_MS, handler.handleCardPayment({}, {}));
  });
}

/** Collects the authorized payments; returns what to say about it, and where to. */
async function collectPayment(
  source: PaymentSource,
  { paymentSourceId, quote, charge }: Payment,
  tokens: readonly string[],
  idempotencyKey: string,
): Promise<{ message: string; to: string }> {
  if (charge) {
    const body = { ...charge.body, paymentIntents: tokens };
    await postJson(charge.path, { body, idempotencyKey });
    return { message: charge.doneMessage, to: paths.dashboard };
  }
  const operation = { operationType: 'SETPRIMARY', paymentsource: 'CARD' } as const;
  const request = { ...operation, paymentSourceId, token: tokens[0], quote };
  const answer = await changePaymentMethods(request, idempotencyKey);
  return {
    message: changeMessages(request, source, answer).join(' '),
    to: paths.paymentMethods,
  };
}

/** Whether a change was refused for another reason than its payment, so that it can't be made as chosen. */
function isOutdated(error: unknown): boolean {
  return isFinal(error) && !hasCode(error, 'payment_processing_failed', 'payment_method_invalid');
}

/**
 * Pays with a stored card: its bank authorizes each charge in turn, then the portal collects them. What
 * was authorized is kept for another try until the portal has used it; a payment with an unknown
 * outcome is repeated as it was.
 */
export function useBankPayment(
  source: PaymentSource,
  quote: string,
  charge: DeclinedCharge | null,
) {
  const client = useQueryClient();
  const navigate = useNavigate();
  /** Which charge the bank is being asked about, from 1; 0 while none. */
  const [authorizing, setAuthorizing] = useState(0);
  const authorized = useRef<string[]>([]);
  const [failure, setFailure] = useState<AuthorizationFailure | null>(null);
  const payment: Payment = { paymentSourceId: source.paymentSourceId, quote, charge };

  const costs = listCosts(payment);

  const fail = (error: unknown) => {
    const tone = isUnconfirmed(error) ? 'info' : undefined;
    const isSpent = hasCode(error, 'payment_method_invalid');
    const described = isSpent ? CONFIRMATION_SPENT : describeAuthorizationFailure(error, 'payment');
    setFailure({ ...described, ...(tone && { tone }) });
    // The amount may have changed.
    refetchAccount(client);
  };

  const command = useCommand(
    (tokens: readonly string[], key: string) => collectPayment(source, payment, tokens, key),
    {
      targetOf: String,
      onSuccess: ({ message, to }) => {
        showSnackbar(message, 'success');
        void navigate(to, { replace: true });
      },
      onError: (error) => {
        // What was refused for good may be spent.
        if (isFinal(error)) authorized.current = [];
        fail(error);
      },
    },
  );

  const pay = async (instance: ChargebeeInstance) => {
    if (authorizing || command.isPending || command.isSuccess) return;
    setFailure(null);
    if (command.error && !isFinal(command.error)) return command.mutate(command.variables);
    try {
      for (const cost of costs.slice(authorized.current.length)) {
        setAuthorizing(authorized.current.length + 1);
        const { id } = await authorizePayment(instance, source.paymentSourceId, cost);
        authorized.current = [...authorized.current, id];
      }
      command.mutate(authorized.current);
    } catch (error) {
      fail(error);
    } finally {
      setAuthorizing(0);
    }
  };

  return {
    pay,
    failure,
    authorizing,
    isBusy: authorizing > 0 || command.isPending,
    /** The change can't be made as it was chosen: it was done in part, or costs something else. */
    isOver: charge !== null && isOutdated(command.error),
  };
}
