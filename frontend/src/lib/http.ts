import { ApiError, GENERIC_MESSAGE } from '@/lib/errors';
import { useAuth } from '@/stores/auth';

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue>;
  body?: unknown;
  /** One per user intent: the server acts once however often it is asked with the same key. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

function address(path: string, query: RequestOptions['query'] = {}): URL {
  const url = new URL(path, window.location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, String(item));
    }
  }
  return url;
}

function headersFor(options: RequestOptions, token: string | null): Headers {
  const headers = new Headers({ Accept: 'application/json' });
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (options.body !== undefined) headers.set('Content-Type', 'application/json');
  if (options.idempotencyKey) headers.set('Idempotency-Key', options.idempotencyKey);
  return headers;
}

/** Seconds to wait, from either form of `Retry-After`; null when absent or unreadable. */
export function retryAfterSeconds(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}

async function send(method: string, path: string, options: RequestOptions, token: string | null) {
  try {
    return await fetch(address(path, options.query), {
      method,
      headers: headersFor(options, token),
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw noResponse(error);
  }
}

function noResponse(error: unknown): ApiError {
  const message = error instanceof Error && error.message ? error.message : GENERIC_MESSAGE;
  return new ApiError({ status: -1, code: '-1', message });
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return response.json().catch(() => undefined);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function fieldsOf(value: unknown): Record<string, string[]> | null {
  return isRecord(value) ? (value as Record<string, string[]>) : null;
}

function errorFrom(response: Response, body: unknown): ApiError {
  const said = isRecord(body) ? body : {};
  return new ApiError({
    status: response.status,
    code: text(said.code) ?? String(response.status),
    message: text(said.message) ?? GENERIC_MESSAGE,
    fields: fieldsOf(said.fields),
    requestId: text(said.requestId) ?? response.headers.get('X-Request-ID'),
    retryAfter: retryAfterSeconds(response.headers.get('Retry-After')),
    body,
  });
}

type Method = 'GET' | 'POST' | 'DELETE';

async function succeeded(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { token, expire } = useAuth.getState();
  const response = await send(method, path, options, token);
  if (response.ok) return response;
  if (response.status === 401 && token !== null) expire(token);
  throw errorFrom(response, await bodyOf(response));
}

/**
 * Calls the portal's API and returns the decoded answer.
 *
 * A 401 to a call that carried the token forgets that token; the guard of the signed-in routes then
 * shows the landing page, once however many calls fail together.
 * @throws {ApiError} for every failure but an abort by `signal`.
 */
async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await succeeded(method, path, options);
  return answered<T>(response, await bodyOf(response));
}

/**
 * Reads a file of the portal's to its end.
 * @throws {ApiError} as `request`, and where it breaks off.
 */
export async function getFile(path: string, options: RequestOptions = {}): Promise<Blob> {
  const response = await succeeded('GET', path, options);
  return response.blob().catch((error: unknown) => {
    throw options.signal?.aborted ? error : noResponse(error);
  });
}

/** A 200 whose body is no JSON came from something between us and the portal. */
function answered<T>(response: Response, body: unknown): T {
  if (body === undefined && response.status !== 204) {
    throw new ApiError({
      status: response.status,
      code: String(response.status),
      message: GENERIC_MESSAGE,
    });
  }
  return body as T;
}

export function get<T>(path: string, options?: RequestOptions): Promise<T> {
  return request<T>('GET', path, options);
}

export function post<T>(path: string, options?: RequestOptions): Promise<T> {
  return request<T>('POST', path, options);
}
