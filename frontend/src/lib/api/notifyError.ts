import { showSnackbar } from '@/stores/snackbar';
import { CONFIRMING_MESSAGE, errorMessage, isUnconfirmed } from './errors';

/** Shows an error in the snackbar; as a warning if the change is still being confirmed. */
export function notifyError(error: unknown): void {
  if (isUnconfirmed(error)) showSnackbar(CONFIRMING_MESSAGE, 'warning');
  else showSnackbar(errorMessage(error), 'error');
}
