import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

import { asksToConfirmPlans, readPlanOrder } from '@/domain/plans/planAddresses';
import { useCart } from '@/stores/cart';
import { type Choosable, togglePlan } from './serviceDraft';

/**
 * Adds the plans in the URL to the draft once it has loaded. They can be unchecked again. If the URL
 * asks to confirm them, they alone are added: an older draft is not part of what was pressed.
 */
export function usePlansFromUrl(all: readonly Choosable[]): void {
  const [query] = useSearchParams();
  const { planLoaded } = useCart();
  const wanted = readPlanOrder(query).planIds;
  const plans = all.filter(({ id }) => wanted.includes(id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: adds them once, however the draft changes later.
  useEffect(() => {
    const { items, initialPlans, choose } = useCart.getState();
    if (!planLoaded || plans.length === 0) return;
    const base = asksToConfirmPlans(query) ? initialPlans : items;
    choose(plans.reduce((chosen, plan) => togglePlan(chosen, plan, true, all), [...base]));
  }, [planLoaded, plans.map(({ id }) => id).join(' ')]);
}
