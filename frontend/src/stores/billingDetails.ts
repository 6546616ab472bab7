import { create } from 'zustand';

import { onSessionChange } from './auth';

/** The cardholder's details as typed. */
export interface CardholderDetails {
  name: string;
  billingState: string;
  billingZip: string;
}

interface BillingDetailsState extends CardholderDetails {
  change: (some: Partial<CardholderDetails>) => void;
  clear: () => void;
}

const EMPTY: CardholderDetails = { name: '', billingState: '', billingZip: '' };

/** The draft of a card's name, state and zip. */
export const useBillingDetails = create<BillingDetailsState>()((set) => ({
  ...EMPTY,
  change: (some) => set(some),
  clear: () => set(EMPTY),
}));

onSessionChange(() => useBillingDetails.getState().clear());
