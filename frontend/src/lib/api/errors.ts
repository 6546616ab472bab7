/** The fallback message. */
export const GENERIC_MESSAGE =
  'Something went wrong, If you are continuing to have problems. Please contact support.';

/** The message if no response came. The browser's own error message is not meant for its user. */
export const UNREACHABLE_MESSAGE = 'We couldn’t connect. Check your connection and try again.';

/** The message while the outcome of a change is unknown. */
export const CONFIRMING_MESSAGE =
  'We’re confirming your change with our billing provider. This can take a minute.';

interface ApiErrorParts {
  status: number;
  code: string;
  message: string;
  fields?: Record<string, string[]> | null;
  requestId?: string | null;
  retryAfter?: number | null;
  body?: unknown;
}

/** Any failed request in one shape. */
export class ApiError extends Error {
  /** The HTTP status; -1 if no response came. */
  readonly status: number;
  /** The server's stable code; '-1' if no response came. */
  readonly code: string;
  readonly fields: Record<string, string[]> | null;
  readonly requestId: string | null;
  /** The seconds to wait, from the server. */
  readonly retryAfter: number | null;
  /**
   * The whole body, with the new figures of `quote_changed` or the state after `billing_partial`.
   */
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

/** The message to show for any error. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof ApiError)) return GENERIC_MESSAGE;
  return error.status === -1 ? UNREACHABLE_MESSAGE : error.message || GENERIC_MESSAGE;
}

/** Whether the request failed with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Whether the outcome of a change is unknown. Never shown as a failure. */
export function isUnconfirmed(error: unknown): boolean {
  return hasCode(error, 'billing_unconfirmed');
}

/** Why a change failed, or that it is still being confirmed. */
export function changeFailureMessage(error: unknown): string {
  if (isUnconfirmed(error)) return CONFIRMING_MESSAGE;
  const message = errorMessage(error);
  return message === UNREACHABLE_MESSAGE ? `${message} Nothing will be done twice.` : message;
}

/** Whether no response of the portal's came: none at all, or that of a proxy. It may have acted. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && error.code === String(error.status);
}

/**
 * Whether this error settles the intent. After any other error (no response, a proxy's response,
 * 429, 503) the server may have acted or may still act, so a retry has to use the same key.
 */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || isUnanswered(error)) return false;
  return ![429, 503].includes(error.status) && error.code !== 'change_in_progress';
}

/** A wait of the server's that nobody notices as one. */
const SHORT_WAIT_SECONDS = 2;

/** Whether the server refused a request only while it answers the account's earlier ones. */
export function isShortWait(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.status !== 429) return false;
  return (error.retryAfter ?? Infinity) <= SHORT_WAIT_SECONDS;
}
