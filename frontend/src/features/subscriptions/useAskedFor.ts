import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

import { TO_ADD } from '@/lib/selection';
import { useCart } from '@/stores/cart';
import { type Choosable, toggled } from './draft';

/** Puts the plan that the address asks for into the draft, once that stands; it can be taken out again. */
export function useAskedFor(all: readonly Choosable[]): void {
  const [query] = useSearchParams();
  const { planLoaded } = useCart();
  const plan = all.find(({ id }) => id === query.get(TO_ADD));
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once, however the draft moves on.
  useEffect(() => {
    const { items, choose } = useCart.getState();
    if (planLoaded && plan) choose(toggled(items, plan, true, all));
  }, [planLoaded, plan?.id]);
}
