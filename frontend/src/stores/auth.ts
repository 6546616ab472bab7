import { create } from 'zustand';

const STORAGE_KEY = 'token';

interface AuthState {
  /** The bearer token, or null when nobody is signed in. */
  token: string | null;
  signIn: (token: string) => void;
  /** Forgets the token. Given one, forgets only that: a newer sign-in is left alone. */
  signOut: (onlyToken?: string) => void;
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
  signIn: (token) => {
    remember(token);
    set({ token });
  },
  signOut: (onlyToken) => {
    if (onlyToken !== undefined && get().token !== onlyToken) return;
    remember(null);
    set({ token: null });
  },
}));

/** Follows sign-in and sign-out in the browser's other tabs. Returns the undo. */
export function followOtherTabs(): () => void {
  const follow = (event: StorageEvent): void => {
    if (event.key === STORAGE_KEY || event.key === null) {
      useAuth.setState({ token: stored(() => localStorage.getItem(STORAGE_KEY)) });
    }
  };
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}
