import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

/** Whom a card belongs to, as it is typed. */
export interface BillingDetails {
  name: string;
  billingState: string;
  billingZip: string;
}

interface BillingDetailsState extends BillingDetails {
  change: (some: Partial<BillingDetails>) => void;
  clear: () => void;
}

const EMPTY: BillingDetails = { name: '', billingState: '', billingZip: '' };

/** The draft of a card's name, state and zip. */
export const useBillingDetails = create<BillingDetailsState>()((set) => ({
  ...EMPTY,
  change: (some) => set(some),
  clear: () => set(EMPTY),
}));

whenSessionChanges(() => useBillingDetails.getState().clear());
