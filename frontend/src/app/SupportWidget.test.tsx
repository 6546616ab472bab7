import { render, screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createQueryClient } from '@/lib/queryClient';
import { aSite } from '@/testing/data';
import { pageLoads, servedAs } from '@/testing/documents';
import { server } from '@/testing/server';
import { App } from './App';

const URL = 'https://widget.example.com/v1/widget.js';

/** The browser's idle moments, which come when a test says so. */
let idle: (() => void)[];

const becomeIdle = () => {
  for (const callback of idle.splice(0)) callback();
};
const scripts = () => [...document.scripts].filter(({ src }) => src === URL);
const help = () => within(screen.getByRole('banner')).queryByRole('link', { name: /^Help/ });

async function opened(supportWidget: { scriptUrl: string } | null, brand = {}) {
  const site = aSite({ supportWidget });
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
  idle = [];
  document.documentElement.removeAttribute('style');
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
  vi.stubGlobal('cancelIdleCallback', (handle: number) => idle.splice(handle - 1, 1));
});

afterEach(() => {
  for (const script of scripts()) script.remove();
});

describe('the support widget', () => {
  it('is loaded once, when the page is there and the browser idle', async () => {
    servedAs('app', { supportWidget: true });
    await opened({ scriptUrl: URL });
    expect(scripts()).toHaveLength(0);
    becomeIdle();
    expect(scripts()).toHaveLength(1);
    expect(help()).not.toBeInTheDocument();
  });

  it.each(['card', 'payPal', 'profile'] as const)('is off in a %s document', async (kind) => {
    pageLoads();
    servedAs(kind);
    const site = aSite({ supportWidget: { scriptUrl: URL } });
    server.use(http.get('*/api/site', () => HttpResponse.json(site)));
    render(
      <MemoryRouter initialEntries={['/dashboard']}>
        <App queryClient={createQueryClient()} />
      </MemoryRouter>,
    );
    await vi.waitFor(() => expect(document.documentElement.style.length).toBeGreaterThan(0));
    becomeIdle();
    expect(scripts()).toHaveLength(0);
  });

  it('leaves a plain link to the help centre where there is none', async () => {
    await opened(null);
    becomeIdle();
    expect(scripts()).toHaveLength(0);
    expect(help()).toHaveAttribute('href', 'https://help.example.com/requests/new');
  });

  it.each([{ helpCentreUrl: '' }, { contactLinkEnabled: false }])(
    'leaves no link where operators want none: %o',
    async (brand) => {
      await opened(null, brand);
      expect(help()).not.toBeInTheDocument();
    },
  );
});
