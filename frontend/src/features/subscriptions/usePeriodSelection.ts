import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';

import type { Plan } from '@/lib/api/types';

/** Kept in the address, so that the way back from anywhere finds the same selection. */
const PARAMETER = 'planIds';

interface PeriodSelection {
  chosen: readonly Plan[];
  /** Somebody tried to choose nothing. */
  refused: boolean;
  toggle: (plan: Plan, on: boolean) => void;
}

/** Which plans to change, of those that can be: all of them, unless the address names some. */
export function usePeriodSelection(candidates: readonly Plan[]): PeriodSelection {
  const [query, setQuery] = useSearchParams();
  const [refused, setRefused] = useState(false);
  const named = query.getAll(PARAMETER);
  const among = candidates.filter(({ id }) => named.includes(id));
  const chosen = among.length > 0 ? among : candidates;

  const toggle = (plan: Plan, on: boolean) => {
    const next = candidates.filter((one) => (one === plan ? on : chosen.includes(one)));
    setRefused(next.length === 0);
    if (next.length === 0) return;
    const changed = new URLSearchParams(query);
    changed.delete(PARAMETER);
    if (next.length < candidates.length) {
      for (const { id } of next) changed.append(PARAMETER, id);
    }
    setQuery(changed, { replace: true });
  };
  return { chosen, refused, toggle };
}
