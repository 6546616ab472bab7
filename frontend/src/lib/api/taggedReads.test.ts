import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { useAuth } from '@/stores/auth';
import { server } from '@/testing/server';
import { getJson } from './http';

const PATH = '/api/thing';

interface Thing {
  name: string;
}

/** Serves a thing with its name as its tag; returns what the requests said they knew. */
function serveThing(): { thing: Thing; known: (string | null)[] } {
  const state = { thing: { name: 'first' }, known: [] as (string | null)[] };
  server.use(
    http.get(`*${PATH}`, ({ request }) => {
      const etag = `"${state.thing.name}"`;
      const known = request.headers.get('If-None-Match');
      state.known.push(known);
      if (known === etag) return new HttpResponse(null, { status: 304, headers: { ETag: etag } });
      return HttpResponse.json(state.thing, { headers: { ETag: etag } });
    }),
  );
  return state;
}

describe('a read with a tag', () => {
  beforeEach(() => {
    useAuth.getState().signIn(crypto.randomUUID());
  });

  it('is answered from memory while nothing has changed, and anew when something has', async () => {
    const state = serveThing();
    const first = await getJson<Thing>(PATH);
    expect(await getJson<Thing>(PATH)).toBe(first);

    state.thing = { name: 'second' };
    expect(await getJson<Thing>(PATH)).toEqual({ name: 'second' });
    expect(await getJson<Thing>(PATH)).toEqual({ name: 'second' });
    expect(state.known).toEqual([null, '"first"', '"first"', '"second"']);
  });

  // shows: security-21
  it('is forgotten when another subscriber signs in', async () => {
    const state = serveThing();
    await getJson(PATH);
    useAuth.getState().signOut();
    useAuth.getState().signIn('another');
    await getJson(PATH);
    expect(state.known).toEqual([null, null]);
  });

  it('is not kept if the subscriber signs out before it comes', async () => {
    const state = serveThing();
    const read = getJson(PATH);
    useAuth.getState().signOut();
    await read;
    await getJson(PATH);
    expect(state.known).toEqual([null, null]);
  });

  it('is downloaded whole if it lost its tag', async () => {
    const state = serveThing();
    await getJson(PATH);
    server.use(http.get(`*${PATH}`, () => HttpResponse.json({ name: 'untagged' }), { once: true }));
    expect(await getJson<Thing>(PATH)).toEqual({ name: 'untagged' });
    await getJson(PATH);
    expect(state.known).toEqual([null, null]);
  });
});
