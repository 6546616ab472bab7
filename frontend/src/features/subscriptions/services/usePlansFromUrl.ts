import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

import { readPlanOrder } from '@/domain/plans/planAddresses';
import { useCart } from '@/stores/cart';
import { type Choosable, togglePlan } from './serviceDraft';

/** Adds the plans in the URL to the draft once it has loaded. They can be unchecked again. */
export function usePlansFromUrl(all: readonly Choosable[]): void {
  const [query] = useSearchParams();
  const { planLoaded } = useCart();
  const wanted = readPlanOrder(query).planIds;
  const plans = all.filter(({ id }) => wanted.includes(id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: adds them once, however the draft changes later.
  useEffect(() => {
    const { items, choose } = useCart.getState();
    if (!planLoaded || plans.length === 0) return;
    choose(plans.reduce((chosen, plan) => togglePlan(chosen, plan, true, all), [...items]));
  }, [planLoaded, plans.map(({ id }) => id).join(' ')]);
}
