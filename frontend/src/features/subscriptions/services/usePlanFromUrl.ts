import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

import { ADD_PARAMETER } from '@/domain/plans/planAddresses';
import { useCart } from '@/stores/cart';
import { type Choosable, togglePlan } from './serviceDraft';

/** Adds the plan in the URL to the draft once the draft has loaded. It can be unchecked again. */
export function usePlanFromUrl(all: readonly Choosable[]): void {
  const [query] = useSearchParams();
  const { planLoaded } = useCart();
  const plan = all.find(({ id }) => id === query.get(ADD_PARAMETER));
  // biome-ignore lint/correctness/useExhaustiveDependencies: adds it once, however the draft changes later.
  useEffect(() => {
    const { items, choose } = useCart.getState();
    if (planLoaded && plan) choose(togglePlan(items, plan, true, all));
  }, [planLoaded, plan?.id]);
}
