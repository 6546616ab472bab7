import { onlineManager } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';

import { ApiError } from './errors';
import { createQueryClient } from './queryClient';

function shouldRepeat(failures: number, error: Error): boolean {
  const { retry } = createQueryClient().getDefaultOptions().queries ?? {};
  return (retry as (failures: number, error: Error) => boolean)(failures, error);
}

const makeError = (status: number, retryAfter: number | null = null) =>
  new ApiError({ status, code: String(status), message: '', retryAfter });

it.each([
  ['no response', 0, makeError(-1), true],
  ['a server error', 1, makeError(503), true],
  ['the third failure', 2, makeError(503), false],
  ['a client error', 0, makeError(404), false],
  ['a wait of a second', 0, makeError(429, 1), true],
  ['a wait of a minute', 0, makeError(429, 60), false],
  ['a limit without a wait', 0, makeError(429), false],
  ['an expired session', 0, makeError(401), false],
  ['a programming error', 0, new TypeError('x'), false],
])('decides whether to retry a read after %s', (_what, failures, error, expected) => {
  expect(shouldRepeat(failures, error)).toBe(expected);
});

afterEach(() => onlineManager.setOnline(true));

it('does not retry while offline', () => {
  onlineManager.setOnline(false);
  expect(shouldRepeat(0, makeError(-1))).toBe(false);
});

it('never retries a mutation', () => {
  expect(createQueryClient().getDefaultOptions().mutations?.retry).toBe(0);
});
