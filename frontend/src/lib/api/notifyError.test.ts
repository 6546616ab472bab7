import { expect, it } from 'vitest';
import { useSnackbar } from '@/stores/snackbar';
import { ApiError, CONFIRMING_MESSAGE, GENERIC_MESSAGE } from './errors';
import { notifyError } from './notifyError';

const makeError = (code: string, message: string) => new ApiError({ status: 503, code, message });

// shows: client-6
it.each([
  ['the server’s message', makeError('invalid_state', 'Too late.'), 'Too late.', 'error'],
  ['the generic message for an unknown error', new TypeError('x'), GENERIC_MESSAGE, 'error'],
  ['the confirming message', makeError('billing_unconfirmed', '?'), CONFIRMING_MESSAGE, 'warning'],
])('shows %s', (_what, error, content, severity) => {
  notifyError(error);
  expect(useSnackbar.getState()).toMatchObject({ visible: true, content, severity });
});
