import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { notifyOtherTabs } from '@/lib/page/otherTabs';
import { sessionKey, useAuth } from '@/stores/auth';
import { useLoader } from '@/stores/loader';
import { CONFIRMING_MESSAGE, hasCode, isFinal, isShortWait } from './errors';
import { refetchAccount } from './refetchAccount';

const MAX_REPEATS = 6;
const MIN_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 10;

/**
 * Creates a unique, unguessable key for a user intent. `crypto.randomUUID` is missing on plain
 * HTTP.
 */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function retryDelaySeconds(retryAfter: number | null): number {
  const requested = retryAfter ?? MIN_WAIT_SECONDS;
  return Math.min(MAX_WAIT_SECONDS, Math.max(MIN_WAIT_SECONDS, requested));
}

const waitForSeconds = (seconds: number) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Sends a change, and repeats it with the same key while the server is confirming it, another
 * change of the account is in progress, or the account's earlier requests are being answered, at
 * the interval that the server requests. The key keeps a repeat from acting twice.
 *
 * After the end of its session or a switch to another customer nothing is sent, and the promise stays
 * pending: a repeat would change the next account, and the caller would show what it answers there.
 * @throws {ApiError} if the change is refused, or still unsettled after the last repeat.
 */
export async function sendUntilSettled<T>(
  send: () => Promise<T>,
  onConfirming: () => void = () => undefined,
): Promise<T> {
  const session = sessionKey(useAuth.getState());
  const stopIfSessionEnded = (): unknown =>
    sessionKey(useAuth.getState()) === session || new Promise<never>(() => undefined);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send().finally(stopIfSessionEnded);
    } catch (error) {
      const isConfirming = hasCode(error, 'billing_unconfirmed', 'change_in_progress');
      if (attempt === MAX_REPEATS || !(isConfirming || isShortWait(error))) throw error;
      if (isConfirming) onConfirming();
      await waitForSeconds(retryDelaySeconds(error.retryAfter));
      await stopIfSessionEnded();
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
   * Identifies the target of a call, if calls with different targets may follow each other quickly,
   * such as choosing one default and then another. Without it, any call right after a success
   * counts as the second click of a double click, whatever it would send.
   */
  targetOf?: (variables: TVariables) => string;
};

/**
 * The second click of a double click may come after the response to the first, and must be ignored.
 */
export const DOUBLE_CLICK_MS = 500;

/**
 * A change by the subscriber, as a react-query mutation under the 'Loading' overlay. After it, this
 * tab and the others refetch the account.
 *
 * The idempotency key is created when the intent is first sent and kept until a final response, so
 * that submitting again after a lost connection or a 503 repeats the same change instead of making
 * a second one. `mutate` does nothing while a call is running, nor on the second click of a double
 * click.
 */
export function useCommand<TAnswer, TVariables = void>(
  send: (variables: TVariables, idempotencyKey: string) => Promise<TAnswer>,
  { targetOf = () => '', ...options }: CommandOptions<TAnswer, TVariables> = {},
): UseMutationResult<TAnswer, Error, TVariables> {
  const client = useQueryClient();
  const intent = useRef<Intent | null>(null);

  const intentKeyFor = (variables: TVariables): string => {
    const content = JSON.stringify(variables) ?? '';
    if (intent.current?.content !== content)
      intent.current = { content, key: createIdempotencyKey() };
    return intent.current.key;
  };

  const runCommand = async (variables: TVariables): Promise<TAnswer> => {
    const key = intentKeyFor(variables);
    const { begin, end, explain } = useLoader.getState();
    begin();
    try {
      const answer = await sendUntilSettled(
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
      // A failed change may have changed something too, such as the amount due or some of several
      // plans.
      refetchAccount(client);
      notifyOtherTabs();
    }
  };

  return useSingleFlight(useMutation({ ...options, mutationFn: runCommand }), targetOf);
}

/**
 * Makes `mutate` ignore calls while one is running and, right after a success, calls with the same
 * target. `isPending` updates too late to catch a double click.
 */
function useSingleFlight<TAnswer, TVariables>(
  mutation: UseMutationResult<TAnswer, Error, TVariables>,
  targetOf: (variables: TVariables) => string,
): UseMutationResult<TAnswer, Error, TVariables> {
  const isRunning = useRef(false);
  const lastSuccess = useRef<{ target: string } | null>(null);
  const allowNext = () => {
    isRunning.current = false;
  };
  const rememberSuccess = (success: { target: string }) => {
    lastSuccess.current = success;
    setTimeout(() => {
      if (lastSuccess.current === success) lastSuccess.current = null;
    }, DOUBLE_CLICK_MS);
  };
  const mutate: typeof mutation.mutate = (...call) => {
    const target = targetOf(call[0] as TVariables);
    if (isRunning.current || lastSuccess.current?.target === target) return;
    isRunning.current = true;
    mutation.mutateAsync(...call).then(() => {
      allowNext();
      rememberSuccess({ target });
    }, allowNext);
  };
  return { ...mutation, mutate };
}
