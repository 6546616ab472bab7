import { create } from 'zustand';

import { keepsDrafts, onSessionChange } from './auth';

interface SavedDraft {
  /** The email address of the subscriber who entered it. */
  owner: string;
  draft: unknown;
}

interface DraftsState {
  /** The drafts of an expired session, by form name. */
  saved: Readonly<Record<string, SavedDraft>>;
  save: (name: string, kept: SavedDraft) => void;
  forget: (name: string) => void;
  /** Discards the drafts of other subscribers; without an owner, all. */
  forgetOthers: (owner: string | null) => void;
}

/** Drafts kept in memory until their subscriber signs in again. */
export const useDrafts = create<DraftsState>()((set) => ({
  saved: {},
  save: (name, kept) => set((drafts) => ({ saved: { ...drafts.saved, [name]: kept } })),
  forget: (name) => set(({ saved }) => ({ saved: filterDrafts(saved, (other) => other !== name) })),
  forgetOthers: (owner) =>
    set(({ saved }) => ({ saved: filterDrafts(saved, (_name, draft) => draft.owner === owner) })),
}));

function filterDrafts(
  kept: DraftsState['saved'],
  isWanted: (name: string, draft: SavedDraft) => boolean,
) {
  return Object.fromEntries(Object.entries(kept).filter(([name, draft]) => isWanted(name, draft)));
}

// Drafts survive only an expired session, and only for the same subscriber.
onSessionChange((session) => {
  if (!keepsDrafts(session)) useDrafts.getState().forgetOthers(session.email);
});
