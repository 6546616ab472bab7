import { create } from 'zustand';

import { keepsDrafts, onSessionChange } from './auth';

interface Figures {
  bundleSavings: number;
  total: number;
}

interface HeldPlans {
  /** The ids of the current plans that renew. */
  planIds: readonly string[];
  isYearly: boolean;
  /** The email address of the subscriber; undefined until it is known. */
  owner: string | undefined;
}

interface CartState {
  /** The email address of the subscriber whose draft it is; undefined until it is known. */
  owner: string | undefined;
  /** The draft is based on plans from the server. */
  planLoaded: boolean;
  /** The ids of the wanted plans. */
  items: readonly string[];
  /** The last estimate of the draft in cents, shown until the next one has loaded. */
  bundleSavings: number;
  total: number;
  /** The ids of the current plans, without those that do not renew. */
  initialPlans: readonly string[];
  /** The account is billed yearly. */
  isYealyPlan: boolean;
  /** Starts the draft, or rebases an existing one. */
  load: (held: HeldPlans) => void;
  choose: (items: readonly string[]) => void;
  price: (figures: Figures) => void;
  clear: () => void;
}

const EMPTY = {
  owner: undefined,
  planLoaded: false,
  items: [],
  bundleSavings: 0,
  total: 0,
  initialPlans: [],
  isYealyPlan: false,
};

/** Applies a draft's additions and removals to changed plans. */
function rebaseDraft({ items, initialPlans }: CartState, planIds: readonly string[]): string[] {
  const added = items.filter((id) => !initialPlans.includes(id));
  const removed = initialPlans.filter((id) => !items.includes(id));
  return [...new Set([...planIds, ...added])].filter((id) => !removed.includes(id));
}

/** The draft of the wanted services. */
export const useCart = create<CartState>()((set) => ({
  ...EMPTY,
  load: ({ planIds, isYearly, owner }) =>
    set((cart) => ({
      owner,
      planLoaded: true,
      items: cart.planLoaded ? rebaseDraft(cart, planIds) : planIds,
      initialPlans: planIds,
      isYealyPlan: isYearly,
    })),
  choose: (items) => set({ items }),
  price: ({ bundleSavings, total }) => set({ bundleSavings, total }),
  clear: () => set(EMPTY),
}));

// Like other drafts it survives only an expired session, and only for the same subscriber.
onSessionChange((session) => {
  const { owner, clear } = useCart.getState();
  if (!keepsDrafts(session) && owner !== session.email) clear();
});
