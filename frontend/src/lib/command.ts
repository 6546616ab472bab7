import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useRef } from 'react';

import { CONFIRMING_MESSAGE, hasCode, isFinal } from '@/lib/errors';
import { tellOtherTabs } from '@/lib/tabs';
import { useLoader } from '@/stores/loader';

const REPEATS = 6;
const LEAST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 10;

/** A key for one user intent, unguessable and unique; works on plain http too. */
export function newIntentKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function waitSeconds(retryAfter: number | null): number {
  const asked = retryAfter ?? LEAST_WAIT_SECONDS;
  return Math.min(LONGEST_WAIT_SECONDS, Math.max(LEAST_WAIT_SECONDS, asked));
}

const pause = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));

/**
 * Sends a change and, while the server is confirming it or another change of the account is under
 * way, asks again with the same key, as long apart as it wishes. Asking again never acts twice.
 * @throws {ApiError} the last answer, when it stays so or the change is refused.
 */
export async function askUntilSettled<T>(
  send: () => Promise<T>,
  onConfirming: () => void = () => undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const mayRepeat = hasCode(error, 'billing_unconfirmed', 'change_in_progress');
      if (!mayRepeat || attempt === REPEATS) throw error;
      onConfirming();
      await pause(waitSeconds(error.retryAfter));
    }
  }
}

interface Intent {
  content: string;
  key: string;
}

type CommandOptions<TAnswer, TVariables> = Omit<
  UseMutationOptions<TAnswer, Error, TVariables>,
  'mutationFn' | 'onMutate'
> & {
  /**
   * Tells orders apart that one may well give in a row: this one as the default, then that one. Without it
   * every press just after a success is taken for the second of a double click, whatever it would send: a
   * form that was just saved may hold something else already.
   */
  about?: (variables: TVariables) => string;
};

/** The second press of a double click may come after the answer to the first, and means nothing new. */
export const DOUBLE_CLICK_MS = 500;

/**
 * A change the subscriber asks for, as a react-query mutation under the 'Loading' overlay.
 *
 * The idempotency key is made when the intent is first sent and kept until a final answer, so that
 * pressing the button again after a cut or a 503 asks about the same change and cannot make two.
 * `mutate` does nothing while one is under way, nor on the second press of a double click.
 */
export function useCommand<TAnswer, TVariables = void>(
  send: (variables: TVariables, idempotencyKey: string) => Promise<TAnswer>,
  { about = () => '', ...options }: CommandOptions<TAnswer, TVariables> = {},
): UseMutationResult<TAnswer, Error, TVariables> {
  const intent = useRef<Intent | null>(null);

  const keyFor = (variables: TVariables): string => {
    const content = JSON.stringify(variables) ?? '';
    if (intent.current?.content !== content) intent.current = { content, key: newIntentKey() };
    return intent.current.key;
  };

  const run = async (variables: TVariables): Promise<TAnswer> => {
    const key = keyFor(variables);
    const { begin, end, explain } = useLoader.getState();
    begin();
    try {
      const answer = await askUntilSettled(
        () => send(variables, key),
        () => explain(CONFIRMING_MESSAGE),
      );
      intent.current = null;
      return answer;
    } catch (error) {
      if (isFinal(error)) intent.current = null;
      throw error;
    } finally {
      end();
      // Also a refusal may have changed something: what is due, or some of several.
      tellOtherTabs();
    }
  };

  return useOneAtATime(useMutation({ ...options, mutationFn: run }), about);
}

/**
 * Lets `mutate` pass one order at a time, and just after a success only one about something else;
 * `isPending` is drawn too late for a double click.
 */
function useOneAtATime<TAnswer, TVariables>(
  mutation: UseMutationResult<TAnswer, Error, TVariables>,
  about: (variables: TVariables) => string,
): UseMutationResult<TAnswer, Error, TVariables> {
  const underWay = useRef(false);
  const justDone = useRef<{ about: string } | null>(null);
  const release = () => {
    underWay.current = false;
  };
  const remember = (press: { about: string }) => {
    justDone.current = press;
    setTimeout(() => {
      if (justDone.current === press) justDone.current = null;
    }, DOUBLE_CLICK_MS);
  };
  const mutate: typeof mutation.mutate = (...order) => {
    const press = { about: about(order[0] as TVariables) };
    if (underWay.current || justDone.current?.about === press.about) return;
    underWay.current = true;
    mutation.mutateAsync(...order).then(() => {
      release();
      remember(press);
    }, release);
  };
  return { ...mutation, mutate };
}
