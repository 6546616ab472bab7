import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import { servicesEstimateOptions } from '@/features/subscriptions/shared/api';
import { useDebounced } from '@/features/subscriptions/shared/useDebounced';
import { useLatest } from '@/features/subscriptions/shared/useLatest';
import type { ManagePlans, ServicesChange, SoldPeriodUnit } from '@/lib/api/types';
import { haveSameIds } from '@/lib/haveSameIds';
import { useDraftOwner } from '@/lib/hooks/useFormDraft';
import { useCart } from '@/stores/cart';
import { type Choosable, choosablePlans, renewingPlanIds, togglePlan } from './serviceDraft';
import { usePlansFromUrl } from './usePlansFromUrl';

const DEBOUNCE_MS = 250;

function orderIds(all: readonly Choosable[], ids: readonly string[]): string[] {
  return all.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
}

/** Rebases the draft on the current plans, which may change in another tab or on another device. */
function useSyncedCart(costs: ManagePlans, periodUnit: SoldPeriodUnit | null) {
  const { items, initialPlans, planLoaded, load, choose, clear } = useCart();
  const owner = useDraftOwner();
  const held = renewingPlanIds(costs).join(' ');
  const isYearly = (periodUnit ?? costs.periodUnit) === 'year';
  useLayoutEffect(() => {
    load({ planIds: held === '' ? [] : held.split(' '), isYearly, owner });
  }, [load, held, isYearly, owner]);
  const all = choosablePlans(costs);
  usePlansFromUrl(all);
  return {
    all,
    held: planLoaded ? initialPlans : renewingPlanIds(costs),
    wanted: planLoaded ? orderIds(all, items) : renewingPlanIds(costs),
    choose,
    startOver: () => {
      clear();
      load({ planIds: renewingPlanIds(costs), isYearly, owner });
    },
  };
}

/**
 * The estimate of the draft, debounced. The previous one is shown until the next one has loaded.
 */
function useDraftFigures(
  costs: ManagePlans,
  held: readonly string[],
  wanted: readonly string[],
  periodUnit: SoldPeriodUnit | null,
) {
  const isSettled = useDebounced(wanted.join(' '), DEBOUNCE_MS) === wanted.join(' ');
  const isChanged = !haveSameIds(held, wanted);
  const options = servicesEstimateOptions(held, wanted, periodUnit);
  const estimate = useQuery({
    ...options,
    enabled: isChanged && isSettled && wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = isChanged && isSettled && !estimate.isFetching && !estimate.isPlaceholderData;
  const figures: ServicesChange | undefined =
    isCurrent && estimate.isSuccess ? estimate.data : undefined;
  const latest = useLatest<ManagePlans | ServicesChange>(isChanged ? figures : costs);
  return { estimate, estimateKey: options.queryKey, isChanged, figures, latest };
}

/** The figures to show. A restored draft starts with the figures it had before. */
function useShownFigures(costs: ManagePlans, latest: ManagePlans | ServicesChange | undefined) {
  const cart = useCart();
  const shown = latest ?? { ...costs, bundleSavings: cart.bundleSavings, total: cart.total };
  const { bundleSavings, total } = shown;
  const { price } = cart;
  useEffect(() => price({ bundleSavings, total }), [price, bundleSavings, total]);
  return shown;
}

/**
 * The draft of the wanted services, and its costs. `periodUnit` is the chosen billing period of what
 * starts; null is the account's.
 */
export function useServiceDraft(costs: ManagePlans, periodUnit: SoldPeriodUnit | null) {
  const { all, held, wanted, choose, startOver } = useSyncedCart(costs, periodUnit);
  const figures = useDraftFigures(costs, held, wanted, periodUnit);
  const [isRefused, setIsRefused] = useState(false);
  const shown = useShownFigures(costs, figures.latest);

  const toggleWanted = (plan: Choosable, isOn: boolean) => {
    const next = togglePlan(wanted, plan, isOn, all);
    const isLast = next.length === 0 && held.length > 0;
    setIsRefused(isLast);
    if (!isLast) choose(next);
  };
  return { all, wanted, periodUnit, isRefused, toggleWanted, startOver, ...figures, shown };
}

export type ServiceDraft = ReturnType<typeof useServiceDraft>;
