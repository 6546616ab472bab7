import { create } from 'zustand';

const STORAGE_KEY = 'token';

interface AuthState {
  /** The bearer token, or null when nobody is signed in. */
  token: string | null;
  /** How the last session ended: the way back in differs. */
  ended: 'by-choice' | 'expired' | null;
  signIn: (token: string) => void;
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
  ended: null,
  signIn: (token) => {
    remember(token);
    set({ token, ended: null });
  },
  signOut: () => {
    remember(null);
    set({ token: null, ended: 'by-choice' });
  },
  expire: (token) => {
    if (get().token !== token) return;
    remember(null);
    set({ token: null, ended: 'expired' });
  },
}));

/** Follows sign-in and sign-out in the browser's other tabs. Returns the undo. */
export function followOtherTabs(): () => void {
  const follow = (event: StorageEvent): void => {
    if (event.key === STORAGE_KEY || event.key === null) {
      const token = stored(() => localStorage.getItem(STORAGE_KEY));
      useAuth.setState({ token, ended: token === null ? 'by-choice' : null });
    }
  };
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}
