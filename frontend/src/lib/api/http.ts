import { leaveAccountView, readAccountView } from '@/lib/page/pageSettings';
import { sessionKey, useAuth } from '@/stores/auth';
import { ApiError, GENERIC_MESSAGE } from './errors';
import { buildJsonHeaders, takeStartedRead } from './firstReads';
import { findTaggedRead, keepTaggedRead } from './taggedReads';

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue>;
  body?: unknown;
  /** One per user intent: the server acts only once for the same key. */
  idempotencyKey?: string;
  /** The tag of the response that is known: if it is still true, the server answers 304. */
  etag?: string;
  signal?: AbortSignal;
  /** The browser sends it to its end although the page is left. */
  keepalive?: boolean;
}

function buildUrl(path: string, query: RequestOptions['query'] = {}): URL {
  const url = new URL(path, window.location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, String(item));
    }
  }
  return url;
}

function buildHeaders(options: RequestOptions, token: string | null): Headers {
  const headers = buildJsonHeaders(token);
  if (options.body !== undefined) headers.set('Content-Type', 'application/json');
  if (options.idempotencyKey) headers.set('Idempotency-Key', options.idempotencyKey);
  if (options.etag) headers.set('If-None-Match', options.etag);
  const view = readAccountView();
  // The cookie of a view is that of all tabs: another account may have been opened in one of them.
  if (view) headers.set('X-View', String(view.id));
  return headers;
}

/** The seconds in either form of `Retry-After`; null if missing or invalid. */
export function retryAfterSeconds(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}

async function sendRequest(
  method: string,
  path: string,
  options: RequestOptions,
  token: string | null,
) {
  try {
    const started = method === 'GET' && !options.query && takeStartedRead(path, token);
    return await (started ||
      fetch(buildUrl(path, options.query), {
        method,
        headers: buildHeaders(options, token),
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal: options.signal ?? null,
        keepalive: options.keepalive ?? false,
        credentials: 'same-origin',
      }));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw createNoResponseError(error);
  }
}

function createNoResponseError(error: unknown): ApiError {
  const message = error instanceof Error && error.message ? error.message : GENERIC_MESSAGE;
  return new ApiError({ status: -1, code: '-1', message });
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return response.json().catch(() => undefined);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function nonEmptyString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function errorFields(value: unknown): Record<string, string[]> | null {
  return isRecord(value) ? (value as Record<string, string[]>) : null;
}

function createApiError(response: Response, body: unknown): ApiError {
  const details = isRecord(body) ? body : {};
  return new ApiError({
    status: response.status,
    code: nonEmptyString(details.code) ?? String(response.status),
    message: nonEmptyString(details.message) ?? GENERIC_MESSAGE,
    fields: errorFields(details.fields),
    requestId: nonEmptyString(details.requestId) ?? response.headers.get('X-Request-ID'),
    retryAfter: retryAfterSeconds(response.headers.get('Retry-After')),
    body,
  });
}

type Method = 'GET' | 'POST';

async function fetchOk(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { token, expire, isView } = useAuth.getState();
  const response = await sendRequest(method, path, options, isView ? null : token);
  if (response.ok || (options.etag && response.status === 304)) return response;
  if (response.status === 401 && isView) leaveAccountView();
  else if (response.status === 401 && token !== null) expire(token);
  throw createApiError(response, await readBody(response));
}

/**
 * Calls the portal's API and returns the decoded response.
 *
 * A 401 discards the token that was sent. The guard of the signed-in routes then redirects to the
 * landing page, once however many requests fail together.
 * @throws {ApiError} for every failure except an abort by `signal`.
 */
async function requestJson<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await fetchOk(method, path, options);
  return requireJson<T>(response, await readBody(response));
}

/**
 * Downloads a file from the portal.
 * @throws {ApiError} like `requestJson`, and if the download breaks off.
 */
export async function getFile(path: string, options: RequestOptions = {}): Promise<Blob> {
  const response = await fetchOk('GET', path, options);
  return response.blob().catch((error: unknown) => {
    throw options.signal?.aborted ? error : createNoResponseError(error);
  });
}

/** A 200 with a body that is not JSON came from a proxy. */
function requireJson<T>(response: Response, body: unknown): T {
  if (body === undefined && response.status !== 204) {
    throw new ApiError({
      status: response.status,
      code: String(response.status),
      message: GENERIC_MESSAGE,
    });
  }
  return body as T;
}

/**
 * Reads from the portal's API. What has a tag is downloaded again only if it has changed.
 * @throws {ApiError} like `requestJson`.
 */
export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  // The result of a query has a tag of its own, which nothing here would find.
  if (options.query) return requestJson<T>('GET', path, options);
  const known = findTaggedRead(path);
  const session = sessionKey(useAuth.getState());
  const response = await fetchOk('GET', path, known ? { ...options, etag: known.etag } : options);
  if (known && response.status === 304) return known.body as T;
  const body = requireJson<T>(response, await readBody(response));
  if (sessionKey(useAuth.getState()) === session) keepTaggedRead(path, response, body);
  return body;
}

export function postJson<T>(path: string, options?: RequestOptions): Promise<T> {
  return requestJson<T>('POST', path, options);
}
