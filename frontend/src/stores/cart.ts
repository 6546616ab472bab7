import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

interface Figures {
  bundleSavings: number;
  total: number;
}

interface Held {
  /** The plans held that go on, by id. */
  planIds: readonly string[];
  isYearly: boolean;
}

interface CartState {
  /** The draft stands on what the server says is held. */
  planLoaded: boolean;
  /** The plans wanted from now on, by id. */
  items: readonly string[];
  /** What the draft comes to, in cents, as last worked out: shown until the next figures are there. */
  bundleSavings: number;
  total: number;
  /** The plans already subscribed, by id; one that does not renew is not among them. */
  initialPlans: readonly string[];
  /** The account is billed yearly. */
  isYealyPlan: boolean;
  /** Starts the draft; one begun already keeps what it adds and removes. */
  load: (held: Held) => void;
  choose: (items: readonly string[]) => void;
  price: (figures: Figures) => void;
  clear: () => void;
}

const EMPTY = {
  planLoaded: false,
  items: [],
  bundleSavings: 0,
  total: 0,
  initialPlans: [],
  isYealyPlan: false,
};

/** What a draft wants of plans that have changed under it. */
function rebased({ items, initialPlans }: CartState, planIds: readonly string[]): string[] {
  const added = items.filter((id) => !initialPlans.includes(id));
  const removed = initialPlans.filter((id) => !items.includes(id));
  return [...new Set([...planIds, ...added])].filter((id) => !removed.includes(id));
}

/** The draft of which services one wants. */
export const useCart = create<CartState>()((set) => ({
  ...EMPTY,
  load: ({ planIds, isYearly }) =>
    set((cart) => ({
      planLoaded: true,
      items: cart.planLoaded ? rebased(cart, planIds) : planIds,
      initialPlans: planIds,
      isYealyPlan: isYearly,
    })),
  choose: (items) => set({ items }),
  price: ({ bundleSavings, total }) => set({ bundleSavings, total }),
  clear: () => set(EMPTY),
}));

whenSessionChanges(() => useCart.getState().clear());
