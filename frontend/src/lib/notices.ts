import { CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { notify } from '@/stores/snackbar';

/** Says in the snackbar what went wrong; a change still being confirmed is no failure. */
export function notifyError(error: unknown): void {
  if (isUnconfirmed(error)) notify(CONFIRMING_MESSAGE, 'warning');
  else notify(messageOf(error), 'error');
}
