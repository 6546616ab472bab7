import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import { ApiError } from '@/lib/errors';
import { get, post, retryAfterSeconds } from '@/lib/http';
import { useAuth } from '@/stores/auth';
import { refusal, server } from '@/testing/server';

const PLACE = '*/api/thing';
const GENERIC_MESSAGE =
  'Something went wrong, If you are continuing to have problems. Please contact support.';

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('a call', () => {
  it('sends the token, the query with repeated names, the body and the key', async () => {
    useAuth.getState().signIn('abc');
    let sent: Request | undefined;
    server.use(
      http.post(PLACE, ({ request }) => {
        sent = request.clone();
        return HttpResponse.json({ ok: true });
      }),
    );

    await post('/api/thing', {
      query: { planIds: ['a', 'b'], days: 30, absent: undefined },
      body: { name: 'x' },
      idempotencyKey: 'intent-1',
    });

    expect(sent?.headers.get('Authorization')).toBe('Bearer abc');
    expect(sent?.headers.get('Idempotency-Key')).toBe('intent-1');
    expect(new URL(sent?.url ?? '').search).toBe('?planIds=a&planIds=b&days=30');
    expect(await sent?.json()).toEqual({ name: 'x' });
  });

  it('sends no Authorization while nobody is signed in', async () => {
    let authorization: string | null = 'unset';
    server.use(
      http.get(PLACE, ({ request }) => {
        authorization = request.headers.get('Authorization');
        return HttpResponse.json({});
      }),
    );
    await get('/api/thing');
    expect(authorization).toBeNull();
  });

  it('gives nothing for a 204', async () => {
    server.use(http.post(PLACE, () => new HttpResponse(null, { status: 204 })));
    await expect(post('/api/thing')).resolves.toBeUndefined();
  });

  it('rethrows the error body with its status', async () => {
    server.use(
      http.post(PLACE, () =>
        refusal(409, 'quote_changed', 'The price has changed.', {
          fields: { quote: ['Old.'] },
          retryAfter: 7,
          extra: { total: 799 },
        }),
      ),
    );
    expect(await failureOf(post('/api/thing'))).toMatchObject({
      status: 409,
      code: 'quote_changed',
      message: 'The price has changed.',
      fields: { quote: ['Old.'] },
      requestId: 'req-1',
      retryAfter: 7,
      body: { total: 799 },
    });
  });

  it('says the generic sentence where a failure says nothing itself', async () => {
    server.use(http.get(PLACE, () => new HttpResponse('<html>', { status: 502 })));
    expect(await failureOf(get('/api/thing'))).toMatchObject({
      status: 502,
      code: '502',
      message: GENERIC_MESSAGE,
    });
  });

  it('becomes status -1 and code -1 without a response', async () => {
    server.use(http.get(PLACE, () => HttpResponse.error()));
    const error = await failureOf(get('/api/thing'));
    expect(error).toMatchObject({ status: -1, code: '-1' });
    expect(error.message).not.toBe('');
  });

  it('refuses a 200 that is no JSON', async () => {
    server.use(http.get(PLACE, () => new HttpResponse('<html>', { status: 200 })));
    expect(await failureOf(get('/api/thing'))).toMatchObject({ message: GENERIC_MESSAGE });
  });
});

describe('a 401', () => {
  it('forgets the token of a signed-in call', async () => {
    useAuth.getState().signIn('old');
    server.use(http.get(PLACE, () => refusal(401, 'not_authenticated', 'Please sign in.')));
    await failureOf(get('/api/thing'));
    expect(useAuth.getState()).toMatchObject({ token: null, ended: 'expired' });
    expect(localStorage.getItem('token')).toBeNull();
  });

  it('leaves a newer sign-in alone', async () => {
    useAuth.getState().signIn('old');
    server.use(
      http.get(PLACE, () => {
        useAuth.getState().signIn('new');
        return refusal(401, 'not_authenticated', 'Please sign in.');
      }),
    );
    await failureOf(get('/api/thing'));
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
  ])('is read from %s', (_form, header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
