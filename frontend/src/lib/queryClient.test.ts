import { onlineManager } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';

import { ApiError } from '@/lib/errors';
import { createQueryClient } from '@/lib/queryClient';

function repeats(failures: number, error: Error): boolean {
  const { retry } = createQueryClient().getDefaultOptions().queries ?? {};
  return (retry as (failures: number, error: Error) => boolean)(failures, error);
}

const failure = (status: number) => new ApiError({ status, code: String(status), message: '' });

it.each([
  ['no response', 0, failure(-1), true],
  ['a server in trouble', 1, failure(503), true],
  ['the third failure', 2, failure(503), false],
  ['a refusal', 0, failure(404), false],
  ['an ended session', 0, failure(401), false],
  ['a mistake of ours', 0, new TypeError('x'), false],
])('repeats a read after %s as it should', (_what, failures, error, expected) => {
  expect(repeats(failures, error)).toBe(expected);
});

afterEach(() => onlineManager.setOnline(true));

it('says at once that there is no connection', () => {
  onlineManager.setOnline(false);
  expect(repeats(0, failure(-1))).toBe(false);
});

it('never repeats a change by itself', () => {
  expect(createQueryClient().getDefaultOptions().mutations?.retry).toBe(0);
});
