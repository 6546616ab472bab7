import { render, screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { makeSite } from '@/testing/fixtures';
import { servePageAs, stubReload } from '@/testing/pageLoads';
import { server } from '@/testing/server';
import { App } from './App';

const URL = 'https://widget.example.com/v1/widget.js';

/** Pending idle callbacks. A test runs them explicitly. */
let idleCallbacks: (() => void)[];

const runIdleCallbacks = () => {
  for (const callback of idleCallbacks.splice(0)) callback();
};
const findScripts = () => [...document.scripts].filter(({ src }) => src === URL);
const queryHelpLink = () =>
  within(screen.getByRole('banner')).queryByRole('link', { name: /^Help/ });

async function openApp(supportWidget: { scriptUrl: string } | null, brand = {}) {
  const site = makeSite({ supportWidget });
  server.use(
    http.get('*/api/site', () =>
      HttpResponse.json({ ...site, brand: { ...site.brand, ...brand } }),
    ),
  );
  render(
    <MemoryRouter initialEntries={['/']}>
      <App queryClient={createQueryClient()} />
    </MemoryRouter>,
  );
  await screen.findByRole('heading', { level: 1 });
}

beforeEach(() => {
  idleCallbacks = [];
  document.documentElement.removeAttribute('style');
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idleCallbacks.push(callback));
  vi.stubGlobal('cancelIdleCallback', (handle: number) => idleCallbacks.splice(handle - 1, 1));
});

afterEach(() => {
  for (const script of findScripts()) script.remove();
});

describe('the support widget', () => {
  it('loads once, when the page has loaded and the browser is idle', async () => {
    servePageAs('app', { supportWidget: true });
    await openApp({ scriptUrl: URL });
    expect(findScripts()).toHaveLength(0);
    runIdleCallbacks();
    expect(findScripts()).toHaveLength(1);
    expect(queryHelpLink()).not.toBeInTheDocument();
  });

  it.each(['card', 'payPal', 'profile'] as const)('is off on a %s page', async (kind) => {
    stubReload();
    servePageAs(kind);
    const site = makeSite({ supportWidget: { scriptUrl: URL } });
    server.use(http.get('*/api/site', () => HttpResponse.json(site)));
    render(
      <MemoryRouter initialEntries={['/dashboard']}>
        <App queryClient={createQueryClient()} />
      </MemoryRouter>,
    );
    await vi.waitFor(() => expect(document.documentElement.style.length).toBeGreaterThan(0));
    runIdleCallbacks();
    expect(findScripts()).toHaveLength(0);
  });

  it('is replaced by a link to the help center if there is none', async () => {
    await openApp(null);
    runIdleCallbacks();
    expect(findScripts()).toHaveLength(0);
    expect(queryHelpLink()).toHaveAttribute('href', 'https://help.example.com/requests/new');
  });

  it.each([{ helpCentreUrl: '' }, { contactLinkEnabled: false }])(
    'is not replaced by a link if operators want none: %o',
    async (brand) => {
      await openApp(null, brand);
      expect(queryHelpLink()).not.toBeInTheDocument();
    },
  );
});
