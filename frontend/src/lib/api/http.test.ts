import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { useAuth } from '@/stores/auth';
import { errorResponse, server } from '@/testing/server';
import { ApiError } from './errors';
import { getJson, postJson, retryAfterSeconds } from './http';

const URL_PATTERN = '*/api/thing';
const GENERIC_MESSAGE =
  'Something went wrong, If you are continuing to have problems. Please contact support.';

async function catchApiError(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('a request', () => {
  // shows: client-1
  it('sends the token, repeated query parameters, the body and the key', async () => {
    useAuth.getState().signIn('abc');
    let sent: Request | undefined;
    server.use(
      http.post(URL_PATTERN, ({ request }) => {
        sent = request.clone();
        return HttpResponse.json({ ok: true });
      }),
    );

    await postJson('/api/thing', {
      query: { planIds: ['a', 'b'], days: 30, absent: undefined },
      body: { name: 'x' },
      idempotencyKey: 'intent-1',
    });

    expect(sent?.headers.get('Authorization')).toBe('Bearer abc');
    expect(sent?.headers.get('Idempotency-Key')).toBe('intent-1');
    expect(new URL(sent?.url ?? '').search).toBe('?planIds=a&planIds=b&days=30');
    expect(await sent?.json()).toEqual({ name: 'x' });
  });

  // shows: client-1
  it('sends no Authorization header before sign-in', async () => {
    let authorization: string | null = 'unset';
    server.use(
      http.get(URL_PATTERN, ({ request }) => {
        authorization = request.headers.get('Authorization');
        return HttpResponse.json({});
      }),
    );
    await getJson('/api/thing');
    expect(authorization).toBeNull();
  });

  it('returns undefined for a 204', async () => {
    server.use(http.post(URL_PATTERN, () => new HttpResponse(null, { status: 204 })));
    await expect(postJson('/api/thing')).resolves.toBeUndefined();
  });

  // shows: client-3
  it('throws the error body with its status', async () => {
    server.use(
      http.post(URL_PATTERN, () =>
        errorResponse(409, 'quote_changed', 'The price has changed.', {
          fields: { quote: ['Old.'] },
          retryAfter: 7,
          extra: { total: 799 },
        }),
      ),
    );
    expect(await catchApiError(postJson('/api/thing'))).toMatchObject({
      status: 409,
      code: 'quote_changed',
      message: 'The price has changed.',
      fields: { quote: ['Old.'] },
      requestId: 'req-1',
      retryAfter: 7,
      body: { total: 799 },
    });
  });

  // shows: client-5
  it('uses the generic message if the response has none', async () => {
    server.use(http.get(URL_PATTERN, () => new HttpResponse('<html>', { status: 502 })));
    expect(await catchApiError(getJson('/api/thing'))).toMatchObject({
      status: 502,
      code: '502',
      message: GENERIC_MESSAGE,
    });
  });

  // shows: client-4
  it('throws status -1 and code -1 without a response', async () => {
    server.use(http.get(URL_PATTERN, () => HttpResponse.error()));
    const error = await catchApiError(getJson('/api/thing'));
    expect(error).toMatchObject({ status: -1, code: '-1' });
    expect(error.message).not.toBe('');
  });

  it('rejects a 200 that is not JSON', async () => {
    server.use(http.get(URL_PATTERN, () => new HttpResponse('<html>', { status: 200 })));
    expect(await catchApiError(getJson('/api/thing'))).toMatchObject({ message: GENERIC_MESSAGE });
  });
});

describe('a 401', () => {
  // shows: error-4, client-2, security-22
  it('discards the token that was sent', async () => {
    useAuth.getState().signIn('old');
    server.use(
      http.get(URL_PATTERN, () => errorResponse(401, 'not_authenticated', 'Please sign in.')),
    );
    await catchApiError(getJson('/api/thing'));
    expect(useAuth.getState()).toMatchObject({ token: null, ended: 'expired' });
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('keeps the token of a newer sign-in', async () => {
    useAuth.getState().signIn('old');
    server.use(
      http.get(URL_PATTERN, () => {
        useAuth.getState().signIn('new');
        return errorResponse(401, 'not_authenticated', 'Please sign in.');
      }),
    );
    await catchApiError(getJson('/api/thing'));
    expect(useAuth.getState().token).toBe('new');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  it.each([
    ['seconds', '7', 7],
    ['a date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30],
    ['a date that is past', 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['nonsense', 'soon', null],
    ['nothing', null, null],
  ])('is parsed from %s', (_form, header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
