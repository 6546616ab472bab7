import { ApiError, messageOf } from '@/lib/errors';
import { countOf } from '@/lib/formats';

const SECONDS_IN_MINUTE = 60;

function waiting(seconds: number): string {
  return seconds < 2 * SECONDS_IN_MINUTE
    ? countOf(seconds, 'second')
    : countOf(Math.ceil(seconds / SECONDS_IN_MINUTE), 'minute');
}

/** The error's own sentence about one field, else its message, with how long to wait where it says. */
export function signInMessage(error: unknown, field: string): string {
  const message = messageOf(error);
  if (!(error instanceof ApiError)) return message;
  if (error.retryAfter) return `${message} Try again in ${waiting(error.retryAfter)}.`;
  return error.fields?.[field]?.[0] ?? message;
}
