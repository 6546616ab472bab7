import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { readPlanOrder } from '@/domain/plans/planAddresses';
import { navigateToSuccess } from '@/features/payment-methods/shared/successNavigation';
import {
  type EditedSource,
  useReturnToList,
} from '@/features/payment-methods/shared/useEditedSource';
import { usePaymentChange } from '@/features/payment-methods/shared/usePaymentChange';
import { changeFailureMessage, hasCode, isUnconfirmed } from '@/lib/api/errors';
import type { PaymentIntent } from '@/lib/chargebee/types';

const DECLINED_MESSAGE = 'Nothing was added or charged.';

/** Why an approved PayPal account was not saved. */
interface SaveFailure {
  message: string;
  tone: 'info' | 'error';
}

/** Saves the approved PayPal account, after confirmation if that charges the amount due. */
export function useSavePayPal({ operationType, source }: EditedSource) {
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const returnToList = useReturnToList();
  const [saveFailure, setSaveFailure] = useState<SaveFailure | null>(null);
  const change = usePaymentChange({
    onDone: (answer, request) => navigateToSuccess(navigate, readPlanOrder(query), answer, request),
    onRefused: (error) => {
      if (hasCode(error, 'not_found')) return returnToList(changeFailureMessage(error));
      setSaveFailure({
        message: changeFailureMessage(error),
        tone: isUnconfirmed(error) ? 'info' : 'error',
      });
    },
  });
  const cancel = () => {
    change.cancel();
    if (!change.command.isPending && !change.unsettled)
      setSaveFailure({ message: DECLINED_MESSAGE, tone: 'info' });
  };
  const unsettledRequest = change.unsettled;
  return {
    change: { ...change, cancel },
    saveFailure,
    saveAccount: ({ id: token }: PaymentIntent) =>
      change.submit({
        operationType,
        paymentsource: 'PAYPAL',
        token,
        ...(source && { paymentSourceId: source.paymentSourceId }),
      }),
    clearFailure: () => setSaveFailure(null),
    /** Repeats a request with an unknown outcome; null if the outcome is known. */
    askAgain: unsettledRequest ? () => change.command.mutate(unsettledRequest) : null,
  };
}
