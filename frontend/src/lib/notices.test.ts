import { expect, it } from 'vitest';

import { ApiError, CONFIRMING_MESSAGE, GENERIC_MESSAGE } from '@/lib/errors';
import { notifyError } from '@/lib/notices';
import { useSnackbar } from '@/stores/snackbar';

const failure = (code: string, message: string) => new ApiError({ status: 503, code, message });

it.each([
  ['the server’s sentence', failure('invalid_state', 'Too late.'), 'Too late.', 'error'],
  ['the generic one for what is no answer', new TypeError('x'), GENERIC_MESSAGE, 'error'],
  ['that it is confirming', failure('billing_unconfirmed', '?'), CONFIRMING_MESSAGE, 'warning'],
])('says %s', (_what, error, content, severity) => {
  notifyError(error);
  expect(useSnackbar.getState()).toMatchObject({ visible: true, content, severity });
});
