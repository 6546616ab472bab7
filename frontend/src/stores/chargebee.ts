import { create } from 'zustand';

import type { ChargebeeInstance } from '@/lib/chargebee';

interface ChargebeeState {
  /** How the provider's script stands on this page. */
  status: 'idle' | 'loading' | 'ready' | 'failed';
  /** What it gave when it was started; null until it is ready. */
  instance: ChargebeeInstance | null;
  begin: () => void;
  ready: (instance: ChargebeeInstance) => void;
  fail: () => void;
}

/** The state of the provider's script. */
export const useChargebeeStore = create<ChargebeeState>()((set) => ({
  status: 'idle',
  instance: null,
  begin: () => set({ status: 'loading' }),
  ready: (instance) => set({ status: 'ready', instance }),
  fail: () => set({ status: 'failed' }),
}));
