import { type SessionEnd, useAuth } from '@/stores/auth';
import { type Severity, useSnackbar } from '@/stores/snackbar';

const STORAGE_KEY = 'handover';

/** What one page load passes to the next, in this tab's storage until that one begins. */
interface Handover {
  /** The URL that the next page load is for. */
  href: string;
  /** The navigation state. Chromium drops it on a reload to a page with another opener policy. */
  state: unknown;
  message: { content: string; severity: Severity } | null;
  ended: SessionEnd;
}

/** Saves the navigation state, the current snackbar message, and how the session ended. */
export function saveHandover(): void {
  const { visible, content, severity } = useSnackbar.getState();
  const handover: Handover = {
    href: window.location.href,
    state: window.history.state,
    message: visible ? { content, severity } : null,
    ended: useAuth.getState().ended,
  };
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(handover));
  } catch {
    // The browser blocks storage: nothing is passed on.
  }
}

/** Restores what the previous page load saved for this URL, once; returns whether it did. */
export function applyHandover(): boolean {
  const handover = takeHandover();
  if (handover?.href !== window.location.href) return false;
  window.history.replaceState(handover.state, '');
  if (handover.message)
    useSnackbar.getState().show(handover.message.content, handover.message.severity);
  if (useAuth.getState().token === null) useAuth.setState({ ended: handover.ended });
  return true;
}

function takeHandover(): Handover | null {
  try {
    const saved = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    return JSON.parse(saved ?? 'null');
  } catch {
    return null;
  }
}
