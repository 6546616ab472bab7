import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';

/** In the URL, so that going back restores the selection. */
const PARAMETER = 'planIds';

interface PeriodSelection {
  /** Empty if the plans in the URL can no longer be changed. */
  chosen: readonly Plan[];
  /** The subscriber tried to uncheck the last plan. */
  isRefused: boolean;
  togglePlan: (plan: Plan, on: boolean) => void;
  /** Shows that at least one plan has to be chosen. */
  showRefusal: () => void;
}

/**
 * The plans to change: all candidates, unless the URL names some. Ids of plans that can no longer
 * be changed select nothing, rather than silently everything else.
 */
export function usePeriodSelection(candidates: readonly Plan[]): PeriodSelection {
  const [idsInUrl, setIdsInUrl] = useIdsInUrl(PARAMETER);
  const [isRefused, setIsRefused] = useState(false);
  const chosen =
    idsInUrl.length === 0 ? candidates : candidates.filter(({ id }) => idsInUrl.includes(id));

  const togglePlan = (plan: Plan, on: boolean) => {
    const next = candidates.filter((candidate) =>
      candidate === plan ? on : chosen.includes(candidate),
    );
    setIsRefused(next.length === 0);
    if (next.length === 0) return;
    setIdsInUrl(next.length === candidates.length ? [] : next.map(({ id }) => id));
  };
  return { chosen, isRefused, togglePlan, showRefusal: () => setIsRefused(true) };
}
