import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { SELECTED } from '@/lib/selection';
import { useNamed } from '@/lib/useNamed';

interface PauseSelection {
  /** What the button would pause. */
  chosen: readonly Plan[];
  /** The ids to send: none stands for everything that can be paused. */
  ids: readonly string[];
  /** Somebody tried to choose nothing. */
  refused: boolean;
  toggle: (plan: Plan, on: boolean) => void;
  /** Says that something has to be chosen. */
  refuse: () => void;
}

/**
 * What is chosen of the plans that can be paused, kept in the address. An address without ids means
 * all of them; ids of what can no longer be paused choose nothing, and never quietly everything.
 */
export function usePauseSelection(pausable: readonly Plan[]): PauseSelection {
  const [named, name] = useNamed(SELECTED);
  const [refused, setRefused] = useState(false);
  const chosen =
    named.length === 0 ? pausable : pausable.filter(({ subId }) => named.includes(subId));

  const toggle = (plan: Plan, on: boolean) => {
    const next = pausable.filter((one) => (one === plan ? on : chosen.includes(one)));
    setRefused(next.length === 0);
    if (next.length === 0) return;
    name(next.length === pausable.length ? [] : next.map(({ subId }) => subId));
  };

  return {
    chosen,
    ids: named.length === 0 ? [] : chosen.map(({ subId }) => subId),
    refused,
    toggle,
    refuse: () => setRefused(true),
  };
}
