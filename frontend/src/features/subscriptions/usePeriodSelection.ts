import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { useNamed } from '@/lib/useNamed';

/** Kept in the address, so that the way back from anywhere finds the same selection. */
const PARAMETER = 'planIds';

interface PeriodSelection {
  /** Nothing where what the address names cannot be changed any more. */
  chosen: readonly Plan[];
  /** Somebody tried to choose nothing. */
  refused: boolean;
  toggle: (plan: Plan, on: boolean) => void;
  /** Says that something has to be chosen. */
  refuse: () => void;
}

/**
 * Which plans to change, of those that can be: all of them, unless the address names some. Those that can
 * no longer be changed choose nothing, and never quietly everything else.
 */
export function usePeriodSelection(candidates: readonly Plan[]): PeriodSelection {
  const [named, name] = useNamed(PARAMETER);
  const [refused, setRefused] = useState(false);
  const chosen =
    named.length === 0 ? candidates : candidates.filter(({ id }) => named.includes(id));

  const toggle = (plan: Plan, on: boolean) => {
    const next = candidates.filter((one) => (one === plan ? on : chosen.includes(one)));
    setRefused(next.length === 0);
    if (next.length === 0) return;
    name(next.length === candidates.length ? [] : next.map(({ id }) => id));
  };
  return { chosen, refused, toggle, refuse: () => setRefused(true) };
}
