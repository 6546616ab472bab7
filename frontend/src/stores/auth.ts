import { create } from 'zustand';

const STORAGE_KEY = 'token';

interface AuthState {
  /** The bearer token, or null when nobody is signed in. */
  token: string | null;
  /** Whose it is, by the address signed in with; null where the page began with a token, or another tab did it. */
  email: string | null;
  /** How the last session ended: the way back in differs. */
  ended: 'by-choice' | 'expired' | null;
  signIn: (token: string, email?: string) => void;
  signOut: () => void;
  /** The server no longer takes this token; one from a newer sign-in is left alone. */
  expire: (token: string) => void;
}

/** Storage may be switched off by the browser; the session then lasts as long as the page. */
function stored(action: () => string | null): string | null {
  try {
    return action();
  } catch {
    return null;
  }
}

function remember(token: string | null): void {
  stored(() => {
    if (token === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, token);
    return null;
  });
}

/** The session token: the one thing the app keeps in the browser's storage. */
export const useAuth = create<AuthState>()((set, get) => ({
  token: stored(() => localStorage.getItem(STORAGE_KEY)),
  email: null,
  ended: null,
  signIn: (token, email) => {
    remember(token);
    set({ token, email: email ?? null, ended: null });
  },
  signOut: () => {
    remember(null);
    set({ token: null, email: null, ended: 'by-choice' });
  },
  expire: (token) => {
    if (get().token !== token) return;
    remember(null);
    set({ token: null, email: null, ended: 'expired' });
  },
}));

/** Calls back when the token goes or changes: what is kept of one subscriber is not for another. Returns the undo. */
export function whenSessionChanges(forget: (now: AuthState) => void): () => void {
  return useAuth.subscribe((now, before) => {
    if (now.token !== before.token) forget(now);
  });
}

function takeStoredToken(): void {
  const token = stored(() => localStorage.getItem(STORAGE_KEY));
  if (token === useAuth.getState().token) return;
  useAuth.setState({ token, email: null, ended: token === null ? 'by-choice' : null });
}

/** Follows sign-in and sign-out in the browser's other tabs, and what a restored page has missed. Returns the undo. */
export function followOtherTabs(): () => void {
  const follow = ({ key }: StorageEvent): void => {
    if (key === STORAGE_KEY || key === null) takeStoredToken();
  };
  const catchUp = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) takeStoredToken();
  };
  window.addEventListener('storage', follow);
  window.addEventListener('pageshow', catchUp);
  return () => {
    window.removeEventListener('storage', follow);
    window.removeEventListener('pageshow', catchUp);
  };
}
