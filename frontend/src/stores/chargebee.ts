import { create } from 'zustand';

import type { StartedChargebee } from '@/lib/chargebee/types';

interface ChargebeeState {
  /** The loading status of the provider's script. */
  status: 'idle' | 'loading' | 'ready' | 'failed';
  /** The started script, which may be started only once per page; null until ready. */
  started: StartedChargebee | null;
  begin: () => void;
  ready: (started: StartedChargebee) => void;
  fail: () => void;
}

/** The state of the provider's script. */
export const useChargebeeStore = create<ChargebeeState>()((set) => ({
  status: 'idle',
  started: null,
  begin: () => set({ status: 'loading' }),
  ready: (started) => set({ status: 'ready', started }),
  fail: () => set({ status: 'failed' }),
}));
