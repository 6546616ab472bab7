import { useEffect } from 'react';
import { create } from 'zustand';

interface LoaderState {
  /** How many things are being waited for; the overlay shows while there is one. */
  pending: number;
  /** What is being waited for, where 'Loading' alone would not be honest enough. */
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

/** Holds the global loading flag up while `active`: for a screen's first load. */
export function useLoadingFlag(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const { begin, end } = useLoader.getState();
    begin();
    return end;
  }, [active]);
}
