import { create } from 'zustand';

import type { ChargebeeInstance } from '@/lib/chargebee/types';

interface ChargebeeState {
  /** The loading status of the provider's script. */
  status: 'idle' | 'loading' | 'ready' | 'failed';
  /** The started script's instance; null until ready. */
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
