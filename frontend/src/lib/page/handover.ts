import { useAuth } from '@/stores/auth';
import { type Severity, useSnackbar } from '@/stores/snackbar';

/** What one page load passes to the next, in the state of their shared history entry. */
interface Handover {
  message: { content: string; severity: Severity } | null;
  ended: 'by-choice' | 'expired' | null;
}

/** Saves the current snackbar message and how the session ended for the next page load. */
export function saveHandover(): void {
  const { visible, content, severity } = useSnackbar.getState();
  const message = visible ? { content, severity } : null;
  const handover: Handover = { message, ended: useAuth.getState().ended };
  window.history.replaceState({ ...window.history.state, handover }, '');
}

/** Restores what the previous page load saved, once. */
export function applyHandover(): void {
  const { handover, ...state } = (window.history.state ?? {}) as { handover?: Handover };
  if (handover === undefined) return;
  window.history.replaceState(state, '');
  if (handover.message)
    useSnackbar.getState().show(handover.message.content, handover.message.severity);
  if (useAuth.getState().token === null) useAuth.setState({ ended: handover.ended });
}
