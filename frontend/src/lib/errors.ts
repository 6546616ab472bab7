/** What is said when nothing better is known. */
export const GENERIC_MESSAGE =
  'Something went wrong, If you are continuing to have problems. Please contact support.';

/** What is said where no answer came: the reason that a browser gives is not for its user. */
export const UNREACHABLE_MESSAGE =
  'We couldn’t reach the portal. Check your connection and try again.';

/** What is said while a change may or may not have been made. */
export const CONFIRMING_MESSAGE =
  'We are confirming your change with our billing provider. This can take a minute.';

interface ApiErrorParts {
  status: number;
  code: string;
  message: string;
  fields?: Record<string, string[]> | null;
  requestId?: string | null;
  retryAfter?: number | null;
  body?: unknown;
}

/** A call that did not succeed, in one shape whatever went wrong. */
export class ApiError extends Error {
  /** The HTTP status; -1 when no response came. */
  readonly status: number;
  /** The server's stable code; '-1' when no response came. */
  readonly code: string;
  readonly fields: Record<string, string[]> | null;
  readonly requestId: string | null;
  /** Seconds the server asks to wait. */
  readonly retryAfter: number | null;
  /** The whole body: new figures of `quote_changed`, the state after `billing_partial`. */
  readonly body: unknown;

  constructor(parts: ApiErrorParts) {
    super(parts.message);
    this.name = 'ApiError';
    this.status = parts.status;
    this.code = parts.code;
    this.fields = parts.fields ?? null;
    this.requestId = parts.requestId ?? null;
    this.retryAfter = parts.retryAfter ?? null;
    this.body = parts.body ?? null;
  }
}

/** The sentence to show for anything thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return GENERIC_MESSAGE;
  return error.status === -1 ? UNREACHABLE_MESSAGE : error.message || GENERIC_MESSAGE;
}

/** Whether the call failed with this code. */
export function hasCode(error: unknown, ...codes: string[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Whether the change may have been made although no answer said so: never shown as a failure. */
export function isUnconfirmed(error: unknown): boolean {
  return hasCode(error, 'billing_unconfirmed');
}

/**
 * Whether this answer ends the intent. After any other (none at all, a proxy's, 429, 503) the server
 * may still act or have acted, so the same key has to ask again.
 */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const fromBetween = error.code === '-1' || error.code === String(error.status);
  return !fromBetween && ![429, 503].includes(error.status) && error.code !== 'change_in_progress';
}
