import { useEffect } from 'react';
import { create } from 'zustand';

import { onSessionChange } from './auth';

interface LoaderState {
  /** The number of pending operations; the overlay is shown while there is any. */
  pending: number;
  /** A message instead of 'Loading'. */
  message: string | null;
  begin: () => void;
  end: () => void;
  explain: (message: string | null) => void;
}

/** The global loading flag. */
export const useLoader = create<LoaderState>()((set) => ({
  pending: 0,
  message: null,
  begin: () => set(({ pending }) => ({ pending: pending + 1 })),
  end: () =>
    set(({ pending, message }) => ({
      pending: Math.max(0, pending - 1),
      message: pending > 1 ? message : null,
    })),
  explain: (message) => set({ message }),
}));

// What the previous subscriber waits for must not cover the next screen.
onSessionChange(() => useLoader.setState({ pending: 0, message: null }));

/** Sets the global loading flag while `active`, for a screen's first load. */
export function useLoadingFlag(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const { begin, end } = useLoader.getState();
    begin();
    return end;
  }, [active]);
}
