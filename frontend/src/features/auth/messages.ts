import { ApiError, errorMessage } from '@/lib/api/errors';
import { formatCount } from '@/lib/formatCount';

const SECONDS_IN_MINUTE = 60;

function formatWait(seconds: number): string {
  return seconds < 2 * SECONDS_IN_MINUTE
    ? formatCount(seconds, 'second')
    : formatCount(Math.ceil(seconds / SECONDS_IN_MINUTE), 'minute');
}

/** Says why no code was sent. A limit is told as a wait, since the visitor did nothing wrong. */
export function sendMessage(error: unknown): string {
  if (!(error instanceof ApiError && error.retryAfter)) return signInMessage(error, 'email');
  const wait = formatWait(error.retryAfter);
  return `You can ask for another code in ${wait}. A code that you have still works.`;
}

/**
 * The error's message for one field, or for another, which may be on the other step; or else its
 * general message, in which the server tells a limit as a wait or names the way around it.
 */
export function signInMessage(error: unknown, field: string): string {
  const message = errorMessage(error);
  if (!(error instanceof ApiError)) return message;
  const fields = error.fields ?? {};
  return (fields[field] ?? Object.values(fields)[0])?.[0] ?? message;
}
