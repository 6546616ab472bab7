/** Where the session token is kept. It is the only thing that stays in the browser's storage. */
export const TOKEN_KEY = 'token';

/** The browser may block storage; then the session lasts as long as the page. */
function tryStorage(action: () => string | null): string | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/** The token of the last sign-in; null if signed out, or if storage is blocked. */
export function readStoredToken(): string | null {
  return tryStorage(() => localStorage.getItem(TOKEN_KEY));
}

/** Keeps the token, or discards it if it is null. */
export function writeStoredToken(token: string | null): void {
  tryStorage(() => {
    if (token === null) localStorage.removeItem(TOKEN_KEY);
    else localStorage.setItem(TOKEN_KEY, token);
    return null;
  });
}
