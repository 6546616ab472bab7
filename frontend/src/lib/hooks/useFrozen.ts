import { useState } from 'react';

/** Freezes the value when a request is sent, and releases it when the request fails. */
export type SetFrozen = (isFrozen: boolean) => void;

/**
 * A value that can be frozen, so that a screen does not change between a request and the next
 * screen.
 */
export function useFrozen<T>(current: T): [T, SetFrozen] {
  const [frozen, setFrozenValue] = useState<{ value: T } | null>(null);
  const setFrozen: SetFrozen = (isFrozen) =>
    setFrozenValue((previous) => (isFrozen ? (previous ?? { value: current }) : null));
  return [frozen ? frozen.value : current, setFrozen];
}
