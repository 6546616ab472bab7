import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useAuth } from '@/stores/auth';
import { useLoader } from '@/stores/loader';
import { ApiError, CONFIRMING_MESSAGE } from './errors';
import { queryKeys } from './queries';
import { createQueryClient } from './queryClient';
import { createIdempotencyKey, sendUntilSettled, useCommand } from './useCommand';

function makeError(status: number, code: string, retryAfter: number | null = null): ApiError {
  return new ApiError({ status, code, message: code, retryAfter });
}

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));

describe('sending until settled', () => {
  it.each(['billing_unconfirmed', 'change_in_progress'])(
    'repeats after %s, when the server requests',
    async (code) => {
      const send = vi
        .fn<() => Promise<string>>()
        .mockRejectedValueOnce(makeError(503, code, 5))
        .mockResolvedValue('done');
      const settled = sendUntilSettled(send);

      await vi.advanceTimersByTimeAsync(4_900);
      expect(send).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(200);
      await expect(settled).resolves.toBe('done');
      expect(send).toHaveBeenCalledTimes(2);
    },
  );

  it('outlasts the minute for which a crashed request holds its key', async () => {
    const releasedAt = Date.now() + 60_000;
    // The server waits ten seconds for the first request before it responds that it is still in
    // progress.
    const send = vi.fn(async () => {
      await new Promise((done) => setTimeout(done, Date.now() < releasedAt ? 10_000 : 0));
      if (Date.now() < releasedAt) throw makeError(409, 'change_in_progress', 5);
      return 'done';
    });
    const settled = sendUntilSettled(send);

    await vi.advanceTimersByTimeAsync(75_000);
    await expect(settled).resolves.toBe('done');
  });

  it('gives up with the last error after a few repeats', async () => {
    const send = vi.fn(() => Promise.reject(makeError(503, 'billing_unconfirmed')));
    const settled = expect(sendUntilSettled(send)).rejects.toMatchObject({
      code: 'billing_unconfirmed',
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await settled;
    expect(send).toHaveBeenCalledTimes(7);
  });

  it('repeats after a short wait for earlier requests, which is not told', async () => {
    const send = vi.fn<() => Promise<string>>();
    send.mockRejectedValueOnce(makeError(429, 'throttled', 1)).mockResolvedValueOnce('done');
    const onConfirming = vi.fn();
    const settled = sendUntilSettled(send, onConfirming);
    await vi.advanceTimersByTimeAsync(1000);
    await expect(settled).resolves.toBe('done');
    expect(onConfirming).not.toHaveBeenCalled();
  });

  it('never repeats after a limit of a minute', async () => {
    const send = vi.fn(() => Promise.reject(makeError(429, 'throttled', 60)));
    await expect(sendUntilSettled(send)).rejects.toMatchObject({ code: 'throttled' });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([
    [503, 'billing_unavailable'],
    [402, 'payment_processing_failed'],
    [-1, '-1'],
  ])('never repeats after a %i %s', async (status, code) => {
    const send = vi.fn(() => Promise.reject(makeError(status, code)));
    await expect(sendUntilSettled(send)).rejects.toMatchObject({ code });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('never repeats in the session of the next subscriber', async () => {
    useAuth.getState().signIn('first');
    const send = vi.fn(() => Promise.reject(makeError(503, 'billing_unconfirmed', 5)));
    void sendUntilSettled(send);
    await vi.advanceTimersByTimeAsync(1_000);
    useAuth.getState().signOut();
    useAuth.getState().signIn('second');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe('a command', () => {
  let client: QueryClient;
  beforeEach(() => {
    client = createQueryClient();
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );

  function renderCommand(
    send: (plan: string, key: string) => Promise<string>,
    options: Parameters<typeof useCommand<string, string>>[1] = {},
  ) {
    return renderHook(() => useCommand(send, options), { wrapper }).result;
  }

  async function collectKeys(
    answers: (ApiError | string)[],
    variables: string[],
  ): Promise<string[]> {
    const keys: string[] = [];
    const command = renderCommand((_plan, key) => {
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
    ['no response', makeError(-1, '-1')],
    ['billing_unavailable', makeError(503, 'billing_unavailable')],
    ['a proxy’s 504', makeError(504, '504')],
    ['throttled', makeError(429, 'throttled')],
  ])('keeps its key after %s', async (_what, answer) => {
    const [first, second] = await collectKeys([answer, 'done'], ['a', 'a']);
    expect(second).toBe(first);
  });

  it.each([
    ['success', 'done'],
    ['a refusal', makeError(409, 'invalid_state')],
    ['a declined payment', makeError(402, 'payment_processing_failed')],
  ])('uses a new key after %s', async (_what, answer) => {
    const [first, second] = await collectKeys([answer, 'done'], ['a', 'a']);
    expect(second).not.toBe(first);
  });

  it('uses a new key for another request', async () => {
    const [first, second] = await collectKeys([makeError(-1, '-1'), 'done'], ['a', 'b']);
    expect(second).not.toBe(first);
  });

  it('ignores other calls while running, and just after success', async () => {
    const send = vi.fn(() => Promise.resolve('done'));
    const command = renderCommand(send);
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

  it('accepts a call with another target just after success, and that one once too', async () => {
    const send = vi.fn((_plan: string) => Promise.resolve('done'));
    const command = renderCommand(send, { targetOf: (plan) => plan });
    for (const plan of ['a', 'b']) {
      await act(async () => command.current.mutate(plan));
      await act(async () => command.current.mutate(plan));
    }
    expect(send.mock.calls.map(([plan]) => plan)).toEqual(['a', 'b']);
  });

  it('accepts a call right after a failure', async () => {
    const send = vi.fn(() => Promise.reject(makeError(402, 'payment_processing_failed')));
    const command = renderCommand(send);
    act(() => command.current.mutate('a'));
    await waitFor(() => expect(command.current.isError).toBe(true));
    await act(async () => command.current.mutate('a'));
    expect(send).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['success', () => Promise.resolve('done')],
    ['failure', () => Promise.reject(makeError(402, 'payment_processing_failed'))],
  ])('refetches the account once after a %s', async (_what, send) => {
    const read = vi.fn(() => 'read');
    const useAccountCommand = () => {
      useQuery({ queryKey: [...queryKeys.account.all, 'detail'], queryFn: read });
      return useCommand(send);
    };
    const command = renderHook(useAccountCommand, { wrapper }).result;
    await waitFor(() => expect(read).toHaveBeenCalledTimes(1));
    await act(async () => command.current.mutate());
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['answer', () => Promise.resolve('done')],
    ['refusal', () => Promise.reject(makeError(402, 'payment_processing_failed'))],
  ])('keeps a late %s from the next subscriber', async (_what, respond) => {
    useAuth.getState().signIn('first');
    const [onSuccess, onError] = [vi.fn(), vi.fn()];
    const sendSlowly = () => new Promise((wait) => setTimeout(wait, 2_000)).then(respond);
    const command = renderCommand(sendSlowly, { onSuccess, onError });
    await act(async () => command.current.mutate('a'));
    act(() => useAuth.getState().signIn('second'));
    await act(() => vi.advanceTimersByTimeAsync(3_000));
    expect(onSuccess).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it('keeps a late answer from the customer to which another tab has switched', async () => {
    useAuth.getState().signIn('token');
    const onSuccess = vi.fn();
    const sendSlowly = () =>
      new Promise<string>((answer) => setTimeout(() => answer('done'), 2_000));
    const command = renderCommand(sendSlowly, { onSuccess });
    await act(async () => command.current.mutate('a'));
    act(() => useAuth.getState().switchCustomer());
    await act(() => vi.advanceTimersByTimeAsync(3_000));
    expect(onSuccess).not.toHaveBeenCalled();
  });

  it('shows the confirming message in the overlay until settled', async () => {
    const send = vi
      .fn<(plan: string, key: string) => Promise<string>>()
      .mockRejectedValueOnce(makeError(503, 'billing_unconfirmed', 2))
      .mockResolvedValue('done');
    const command = renderCommand(send);

    act(() => command.current.mutate('a'));
    await waitFor(() => expect(useLoader.getState().message).toBe(CONFIRMING_MESSAGE));
    expect(useLoader.getState().pending).toBe(1);
    await act(() => vi.advanceTimersByTimeAsync(2_100));

    await waitFor(() => expect(command.current.data).toBe('done'));
    expect(useLoader.getState()).toMatchObject({ pending: 0, message: null });
  });
});

it('creates unique keys', () => {
  expect(createIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(createIdempotencyKey()).not.toBe(createIdempotencyKey());
});
