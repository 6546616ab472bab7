import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';

import type { ManagePlans, ServicesChange } from '@/lib/api/types';
import { areSame } from '@/lib/selection';
import { useCart } from '@/stores/cart';
import { servicesEstimateOptions } from './api';
import { type Choosable, choosable, goingOn, toggled } from './draft';
import { useAskedFor } from './useAskedFor';
import { useDebounced } from './useDebounced';
import { useKept } from './useKept';

const SETTLED_AFTER_MS = 250;

function idsAmong(all: readonly Choosable[], ids: readonly string[]): string[] {
  return all.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
}

/** Keeps the draft on what is held, which may change under it: another tab, another device. */
function useCartOf(costs: ManagePlans) {
  const { items, initialPlans, planLoaded, load, choose, clear } = useCart();
  const held = goingOn(costs).join(' ');
  const isYearly = costs.periodUnit === 'year';
  useLayoutEffect(() => {
    load({ planIds: held === '' ? [] : held.split(' '), isYearly });
  }, [load, held, isYearly]);
  const all = choosable(costs);
  useAskedFor(all);
  return {
    all,
    held: planLoaded ? initialPlans : goingOn(costs),
    wanted: planLoaded ? idsAmong(all, items) : goingOn(costs),
    choose,
    startOver: () => {
      clear();
      load({ planIds: goingOn(costs), isYearly });
    },
  };
}

/** What the draft comes to: asked for when its boxes have rested, shown until the next answer is there. */
function useFigures(costs: ManagePlans, held: readonly string[], wanted: readonly string[]) {
  const settled = useDebounced(wanted.join(' '), SETTLED_AFTER_MS) === wanted.join(' ');
  const isChanged = !areSame(held, wanted);
  const options = servicesEstimateOptions(held, wanted);
  const estimate = useQuery({
    ...options,
    enabled: isChanged && settled && wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = isChanged && settled && !estimate.isFetching && !estimate.isPlaceholderData;
  const figures: ServicesChange | undefined =
    isCurrent && estimate.isSuccess ? estimate.data : undefined;
  const kept = useKept<ManagePlans | ServicesChange>(isChanged ? figures : costs);
  return { estimate, estimateKey: options.queryKey, isChanged, figures, kept };
}

/** The figures to draw: for a draft that one comes back to, those it had when one left it. */
function useShown(costs: ManagePlans, kept: ManagePlans | ServicesChange | undefined) {
  const cart = useCart();
  const shown = kept ?? { ...costs, bundleSavings: cart.bundleSavings, total: cart.total };
  const { bundleSavings, total } = shown;
  const { price } = cart;
  useEffect(() => price({ bundleSavings, total }), [price, bundleSavings, total]);
  return shown;
}

/** Which services one wants, and what that comes to. */
export function useDraft(costs: ManagePlans) {
  const { all, held, wanted, choose, startOver } = useCartOf(costs);
  const figures = useFigures(costs, held, wanted);
  const [refused, setRefused] = useState(false);
  const shown = useShown(costs, figures.kept);

  const toggle = (plan: Choosable, on: boolean) => {
    const next = toggled(wanted, plan, on, all);
    const isLast = next.length === 0;
    setRefused(isLast);
    if (!isLast) choose(next);
  };
  return { all, wanted, refused, toggle, startOver, ...figures, shown };
}

export type Draft = ReturnType<typeof useDraft>;
