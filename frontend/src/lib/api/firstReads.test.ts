import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { server } from '@/testing/server';
import { forgetStartedReads, startFirstReads } from './firstReads';
import { getJson } from './http';

let requests: string[];

beforeEach(() => {
  forgetStartedReads();
  requests = [];
  server.use(
    http.get('*/api/account', ({ request }) => {
      requests.push(request.headers.get('Authorization') ?? 'none');
      return HttpResponse.json({ turn: requests.length });
    }),
    http.get('*/api/account/*', () => HttpResponse.json({})),
  );
  useAuth.getState().signIn('abc');
});

describe('a read that the page has started', () => {
  it('answers the app’s first request, and only that', async () => {
    startFirstReads(paths.dashboard, 'abc');
    await expect(getJson('/api/account')).resolves.toEqual({ turn: 1 });
    expect(requests).toEqual(['Bearer abc']);
    await expect(getJson('/api/account')).resolves.toEqual({ turn: 2 });
  });

  it('is not used for another session', async () => {
    startFirstReads(paths.dashboard, 'of-somebody-else');
    await expect(getJson('/api/account')).resolves.toEqual({ turn: 2 });
    expect(requests).toEqual(['Bearer of-somebody-else', 'Bearer abc']);
  });

  it('is not used by a later screen', async () => {
    startFirstReads(paths.dashboard, 'abc');
    forgetStartedReads();
    await expect(getJson('/api/account')).resolves.toEqual({ turn: 2 });
  });

  it('ends the session if the server refuses its token', async () => {
    server.use(http.get('*/api/account', () => HttpResponse.json({}, { status: 401 })));
    startFirstReads(paths.dashboard, 'abc');
    await expect(getJson('/api/account')).rejects.toMatchObject({ status: 401 });
    expect(useAuth.getState().token).toBeNull();
  });

  it('fails as any request does if no response comes', async () => {
    server.use(http.get('*/api/account', () => HttpResponse.error()));
    startFirstReads(paths.dashboard, 'abc');
    await expect(getJson('/api/account')).rejects.toMatchObject({ status: -1 });
  });
});
