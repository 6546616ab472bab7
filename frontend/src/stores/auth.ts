import { create } from 'zustand';
import { readStoredToken, TOKEN_KEY, writeStoredToken } from '@/lib/page/storedToken';

/** Stands for the session of an operator's view, which has no token that the app could read. */
const VIEW = 'view';

/**
 * How the last session ended, which decides what the landing page says and where sign-in leads; null
 * if none has ended. What ended in another tab counts as expired, because this one can't know.
 */
export type SessionEnd = 'by-choice' | 'expired' | null;

interface AuthState {
  /** The bearer token; null if signed out. */
  token: string | null;
  /**
   * The email address used to sign in; null if the page started with a stored token, or another tab
   * signed in.
   */
  email: string | null;
  ended: SessionEnd;
  /** How often the session has continued in another customer of its address, with the same token. */
  switches: number;
  /**
   * Whether an operator sees the account. Then a cookie authenticates the requests, and the browser's
   * storage is left alone: it may hold a session of the operator's own.
   */
  isView: boolean;
  seeAccount: () => void;
  signIn: (token: string, email?: string) => void;
  signOut: () => void;
  /** The session has continued in another customer of its address, here or in another tab. */
  switchCustomer: () => void;
  /** Discards a token that the server rejected, unless a newer sign-in has replaced it. */
  expire: (token: string) => void;
}

/** The session, which begins with the stored token. */
export const useAuth = create<AuthState>()((set, get) => ({
  token: readStoredToken(),
  email: null,
  ended: null,
  switches: 0,
  isView: false,
  seeAccount: () => set({ token: VIEW, email: null, ended: null, isView: true }),
  signIn: (token, email) => {
    writeStoredToken(token);
    set({ token, email: email ?? null, ended: null, switches: 0 });
  },
  signOut: () => {
    if (get().isView) return;
    writeStoredToken(null);
    set({ token: null, email: null, ended: 'by-choice' });
  },
  switchCustomer: () => {
    if (get().isView || get().token === null) return;
    set(({ switches }) => ({ switches: switches + 1, email: null }));
  },
  expire: (token) => {
    if (get().isView || get().token !== token) return;
    writeStoredToken(null);
    set({ token: null, email: null, ended: 'expired' });
  },
}));

/** Differs as soon as another account is meant: after a sign-in, and after a switch of customers. */
export function sessionKey({ token, switches }: Pick<AuthState, 'token' | 'switches'>): string {
  return `${token} ${switches}`;
}

/**
 * Calls back when the session changes to another account or ends, to clear what belongs to the
 * previous one. Returns an unsubscribe function.
 */
export function onSessionChange(handleChange: (current: AuthState) => void): () => void {
  return useAuth.subscribe((current, previous) => {
    if (sessionKey(current) !== sessionKey(previous)) handleChange(current);
  });
}

/**
 * Whether what is typed may wait for the same address's next sign-in. That chooses among the
 * customers of the address anew, so not after a switch.
 */
export function keepsDrafts({ ended, switches }: Pick<AuthState, 'ended' | 'switches'>): boolean {
  return ended === 'expired' && switches === 0;
}

function syncStoredToken(): void {
  if (useAuth.getState().isView) return;
  const token = readStoredToken();
  if (token === useAuth.getState().token) return;
  const switches = token === null ? useAuth.getState().switches : 0;
  useAuth.setState({ token, email: null, ended: token === null ? 'expired' : null, switches });
}

/**
 * Follows sign-in and sign-out in other tabs, also those missed by a page in the back/forward
 * cache. Returns an unsubscribe function.
 */
export function followOtherTabs(): () => void {
  const handleStorage = ({ key }: StorageEvent): void => {
    if (key === TOKEN_KEY || key === null) syncStoredToken();
  };
  const handlePageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) syncStoredToken();
  };
  window.addEventListener('storage', handleStorage);
  window.addEventListener('pageshow', handlePageShow);
  return () => {
    window.removeEventListener('storage', handleStorage);
    window.removeEventListener('pageshow', handlePageShow);
  };
}
