import { useAuth } from '@/stores/auth';
import { type Severity, useSnackbar } from '@/stores/snackbar';

/** What one document tells the next, on the history's entry that both are loaded for. */
interface News {
  said: { content: string; severity: Severity } | null;
  ended: 'by-choice' | 'expired' | null;
}

/** Leaves what was just said, and how the session ended, to the document that is loaded next. */
export function leaveNews(): void {
  const { visible, content, severity } = useSnackbar.getState();
  const said = visible ? { content, severity } : null;
  const news: News = { said, ended: useAuth.getState().ended };
  window.history.replaceState({ ...window.history.state, news }, '');
}

/** Says what the document before this one left to be said, once. */
export function takeNews(): void {
  const { news: left, ...state } = (window.history.state ?? {}) as { news?: News };
  if (left === undefined) return;
  window.history.replaceState(state, '');
  if (left.said) useSnackbar.getState().show(left.said.content, left.said.severity);
  if (useAuth.getState().token === null) useAuth.setState({ ended: left.ended });
}
