import { useState } from 'react';

/** What `useHeldStill` gives: hold on as something is sent, let go when it is refused. */
export type Hold = (on: boolean) => void;

/** What a screen stands on, held still from when a change is sent until the next screen has come. */
export function useHeldStill<T>(current: T): [T, Hold] {
  const [held, setHeld] = useState<{ value: T } | null>(null);
  const hold: Hold = (on) => setHeld((before) => (on ? (before ?? { value: current }) : null));
  return [held ? held.value : current, hold];
}
