import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { askUntilSettled, newIntentKey, useCommand } from '@/lib/command';
import { ApiError, CONFIRMING_MESSAGE } from '@/lib/errors';
import { createQueryClient } from '@/lib/queryClient';
import { useLoader } from '@/stores/loader';

function failure(status: number, code: string, retryAfter: number | null = null): ApiError {
  return new ApiError({ status, code, message: code, retryAfter });
}

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

describe('asking until settled', () => {
  it.each(['billing_unconfirmed', 'change_in_progress'])(
    'asks again after %s, as late as the server wishes',
    async (code) => {
      const send = vi
        .fn<() => Promise<string>>()
        .mockRejectedValueOnce(failure(503, code, 5))
        .mockResolvedValue('done');
      const settled = askUntilSettled(send);

      await vi.advanceTimersByTimeAsync(4_900);
      expect(send).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(200);
      await expect(settled).resolves.toBe('done');
      expect(send).toHaveBeenCalledTimes(2);
    },
  );

  it('outlasts the minute for which a request that died keeps its key', async () => {
    const freed = Date.now() + 60_000;
    // The server waits ten seconds for the first one's answer before it says that it is still at work.
    const send = vi.fn(async () => {
      await new Promise((done) => setTimeout(done, Date.now() < freed ? 10_000 : 0));
      if (Date.now() < freed) throw failure(409, 'change_in_progress', 5);
      return 'done';
    });
    const settled = askUntilSettled(send);

    await vi.advanceTimersByTimeAsync(75_000);
    await expect(settled).resolves.toBe('done');
  });

  it('gives up with the last answer after a few times', async () => {
    const send = vi.fn(() => Promise.reject(failure(503, 'billing_unconfirmed')));
    const settled = expect(askUntilSettled(send)).rejects.toMatchObject({
      code: 'billing_unconfirmed',
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await settled;
    expect(send).toHaveBeenCalledTimes(7);
  });

  it.each([
    [503, 'billing_unavailable'],
    [402, 'payment_processing_failed'],
    [-1, '-1'],
  ])('never repeats a %i %s by itself', async (status, code) => {
    const send = vi.fn(() => Promise.reject(failure(status, code)));
    await expect(askUntilSettled(send)).rejects.toMatchObject({ code });
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe('a command', () => {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
  );

  function commandThat(
    send: (plan: string, key: string) => Promise<string>,
    options: Parameters<typeof useCommand<string, string>>[1] = {},
  ) {
    return renderHook(() => useCommand(send, options), { wrapper }).result;
  }

  async function keysUsed(answers: (ApiError | string)[], variables: string[]): Promise<string[]> {
    const keys: string[] = [];
    const command = commandThat((_plan, key) => {
      const answer = answers[keys.length];
      keys.push(key);
      return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(String(answer));
    });
    for (const plan of variables) {
      await act(() => command.current.mutateAsync(plan).catch(() => undefined));
    }
    return keys;
  }

  it.each([
    ['no response', failure(-1, '-1')],
    ['billing_unavailable', failure(503, 'billing_unavailable')],
    ['a proxy’s 504', failure(504, '504')],
    ['throttled', failure(429, 'throttled')],
  ])('keeps its key after %s', async (_what, answer) => {
    const [first, second] = await keysUsed([answer, 'done'], ['a', 'a']);
    expect(second).toBe(first);
  });

  it.each([
    ['success', 'done'],
    ['a refusal', failure(409, 'invalid_state')],
    ['a declined payment', failure(402, 'payment_processing_failed')],
  ])('takes a new key after %s', async (_what, answer) => {
    const [first, second] = await keysUsed([answer, 'done'], ['a', 'a']);
    expect(second).not.toBe(first);
  });

  it('takes a new key when something else is asked for', async () => {
    const [first, second] = await keysUsed([failure(-1, '-1'), 'done'], ['a', 'b']);
    expect(second).not.toBe(first);
  });

  it('passes one order while it is under way, and just after it', async () => {
    const send = vi.fn(() => Promise.resolve('done'));
    const command = commandThat(send);
    act(() => {
      command.current.mutate('a');
      command.current.mutate('a');
      command.current.mutate('b');
    });
    await waitFor(() => expect(command.current.data).toBe('done'));
    act(() => command.current.mutate('a'));
    await act(() => vi.advanceTimersByTimeAsync(400));
    expect(send).toHaveBeenCalledTimes(1);
    await act(() => vi.advanceTimersByTimeAsync(200));
    await act(async () => command.current.mutate('a'));
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('takes another order just after it where it can tell them apart, and that one once too', async () => {
    const send = vi.fn((_plan: string) => Promise.resolve('done'));
    const command = commandThat(send, { about: (plan) => plan });
    for (const plan of ['a', 'b']) {
      await act(async () => command.current.mutate(plan));
      await act(async () => command.current.mutate(plan));
    }
    expect(send.mock.calls.map(([plan]) => plan)).toEqual(['a', 'b']);
  });

  it('takes the next order at once after one that failed', async () => {
    const send = vi.fn(() => Promise.reject(failure(402, 'payment_processing_failed')));
    const command = commandThat(send);
    act(() => command.current.mutate('a'));
    await waitFor(() => expect(command.current.isError).toBe(true));
    await act(async () => command.current.mutate('a'));
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('says that it is confirming, under the overlay, and lifts it when settled', async () => {
    const send = vi
      .fn<(plan: string, key: string) => Promise<string>>()
      .mockRejectedValueOnce(failure(503, 'billing_unconfirmed', 2))
      .mockResolvedValue('done');
    const command = commandThat(send);

    act(() => command.current.mutate('a'));
    await waitFor(() => expect(useLoader.getState().message).toBe(CONFIRMING_MESSAGE));
    expect(useLoader.getState().pending).toBe(1);
    await act(() => vi.advanceTimersByTimeAsync(2_100));

    await waitFor(() => expect(command.current.data).toBe('done'));
    expect(useLoader.getState()).toMatchObject({ pending: 0, message: null });
  });
});

it('makes keys that differ', () => {
  expect(newIntentKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newIntentKey()).not.toBe(newIntentKey());
});
