import { useState } from 'react';
import { IDS_PARAMETER } from '@/domain/plans/planAddresses';
import type { Plan } from '@/lib/api/types';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';

interface PauseSelection {
  /** The plans that the button would pause. */
  chosen: readonly Plan[];
  /** The ids to send. An empty list means all pausable plans. */
  ids: readonly string[];
  /** The subscriber tried to uncheck the last plan. */
  isRefused: boolean;
  togglePlan: (plan: Plan, on: boolean) => void;
  /** Shows that at least one plan has to be chosen. */
  showRefusal: () => void;
}

/**
 * The chosen plans, stored in the URL. A URL without ids selects all pausable plans. Ids of plans
 * that can no longer be paused select nothing, rather than silently everything.
 */
export function usePauseSelection(pausable: readonly Plan[]): PauseSelection {
  const [idsInUrl, setIdsInUrl] = useIdsInUrl(IDS_PARAMETER);
  const [isRefused, setIsRefused] = useState(false);
  const chosen =
    idsInUrl.length === 0 ? pausable : pausable.filter(({ subId }) => idsInUrl.includes(subId));

  const togglePlan = (plan: Plan, on: boolean) => {
    const next = pausable.filter((candidate) =>
      candidate === plan ? on : chosen.includes(candidate),
    );
    setIsRefused(next.length === 0);
    if (next.length === 0) return;
    setIdsInUrl(next.length === pausable.length ? [] : next.map(({ subId }) => subId));
  };

  return {
    chosen,
    ids: idsInUrl.length === 0 ? [] : chosen.map(({ subId }) => subId),
    isRefused,
    togglePlan,
    showRefusal: () => setIsRefused(true),
  };
}
