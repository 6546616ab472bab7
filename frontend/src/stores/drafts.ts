import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

interface Kept {
  /** The address of who entered it. */
  owner: string;
  draft: unknown;
}

interface DraftsState {
  /** What a session that expired has left in a form, by the form's name. */
  kept: Readonly<Record<string, Kept>>;
  keep: (name: string, kept: Kept) => void;
  forget: (name: string) => void;
  /** Forgets what anybody else has entered; without an owner, everything. */
  retain: (owner: string | null) => void;
}

/** Drafts that wait in memory for their subscriber to sign in again. */
export const useDrafts = create<DraftsState>()((set) => ({
  kept: {},
  keep: (name, kept) => set((drafts) => ({ kept: { ...drafts.kept, [name]: kept } })),
  forget: (name) => set(({ kept }) => ({ kept: only(kept, (other) => other !== name) })),
  retain: (owner) => set(({ kept }) => ({ kept: only(kept, (_name, one) => one.owner === owner) })),
}));

function only(kept: DraftsState['kept'], wanted: (name: string, one: Kept) => boolean) {
  return Object.fromEntries(Object.entries(kept).filter(([name, one]) => wanted(name, one)));
}

// What was entered waits for its subscriber where the session expired, and for nobody else.
whenSessionChanges(({ ended, email }) => {
  if (ended !== 'expired') useDrafts.getState().retain(email);
});
