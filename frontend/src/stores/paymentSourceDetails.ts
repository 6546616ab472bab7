import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

interface PaymentSourceDetailsState {
  /** The kind of payment method that is to be added; null while none is chosen. */
  paymentsource: 'CARD' | 'PAYPAL' | null;
  choose: (paymentsource: 'CARD' | 'PAYPAL') => void;
  clear: () => void;
}

/** The draft of a payment method that is to be added. */
export const usePaymentSourceDetails = create<PaymentSourceDetailsState>()((set) => ({
  paymentsource: null,
  choose: (paymentsource) => set({ paymentsource }),
  clear: () => set({ paymentsource: null }),
}));

whenSessionChanges(() => usePaymentSourceDetails.getState().clear());
