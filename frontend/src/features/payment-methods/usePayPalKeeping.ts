import { useState } from 'react';
import { useNavigate } from 'react-router-dom';

import type { PaymentIntent } from '@/lib/chargebee';
import { hasCode, isUnconfirmed } from '@/lib/errors';
import { tellSuccess } from './afterwards';
import { type Edited, useToTheList } from './useEdited';
import { usePaymentChange } from './usePaymentChange';
import { failureWords } from './words';

const DECLINED = 'Nothing was added, and nothing was charged.';

/** Why an account that was agreed to at PayPal is not kept. */
interface NotKept {
  words: string;
  tone: 'info' | 'error';
}

/** Keeps what was agreed to at PayPal, after asking where that charges what is due. */
export function usePayPalKeeping({ operationType, source }: Edited) {
  const navigate = useNavigate();
  const toTheList = useToTheList();
  const [notKept, setNotKept] = useState<NotKept | null>(null);
  const change = usePaymentChange({
    onDone: (answer, order) => tellSuccess(navigate, answer, order),
    onRefused: (error) => {
      if (hasCode(error, 'not_found')) return toTheList(failureWords(error));
      setNotKept({ words: failureWords(error), tone: isUnconfirmed(error) ? 'info' : 'error' });
    },
  });
  const cancel = () => {
    change.cancel();
    if (!change.command.isPending && !change.unsettled)
      setNotKept({ words: DECLINED, tone: 'info' });
  };
  const repeat = change.unsettled;
  return {
    change: { ...change, cancel },
    notKept,
    keep: ({ id: token }: PaymentIntent) =>
      change.submit({
        operationType,
        paymentsource: 'PAYPAL',
        token,
        ...(source && { paymentSourceId: source.paymentSourceId }),
      }),
    forget: () => setNotKept(null),
    /** Asks how it ended, while nobody knows; null where that is known. */
    askAgain: repeat ? () => change.command.mutate(repeat) : null,
  };
}
