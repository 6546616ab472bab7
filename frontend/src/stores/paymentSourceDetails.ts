import { create } from 'zustand';

import { onSessionChange } from './auth';

interface PaymentSourceDetailsState {
  /** The kind of payment method to add; null until chosen. */
  paymentsource: 'CARD' | 'PAYPAL' | null;
  choose: (paymentsource: 'CARD' | 'PAYPAL') => void;
  clear: () => void;
}

/** The draft of a payment method to add. */
export const usePaymentSourceDetails = create<PaymentSourceDetailsState>()((set) => ({
  paymentsource: null,
  choose: (paymentsource) => set({ paymentsource }),
  clear: () => set({ paymentsource: null }),
}));

onSessionChange(() => usePaymentSourceDetails.getState().clear());
