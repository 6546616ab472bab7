import { QueryClientProvider } from '@tanstack/react-query';
import { type RenderResult, render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';

import { vi } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { useAuth } from '@/stores/auth';
import { PageContext } from '@/ui/layout/PageHeading';

interface ScreenOptions {
  /** The URL, including the query string. */
  at?: string;
  /** The screen's route, if it differs from the path. */
  route?: string;
  signedIn?: boolean;
  /** The navigation state. */
  state?: unknown;
}

/** Lets user events proceed under fake timers. */
function advanceTimers(ms: number): void {
  if (vi.isFakeTimers()) vi.advanceTimersByTime(ms);
}

/** Shows the URL and the receipt after navigation, with the test ids `elsewhere` and `receipt`. */
function OtherScreen() {
  const { pathname, search, state } = useLocation();
  const { receipt } = (state ?? {}) as { receipt?: { sentences: readonly string[] } };
  return (
    <>
      <p data-testid="elsewhere">{pathname + search}</p>
      <p data-testid="receipt">{receipt?.sentences.join(' ')}</p>
    </>
  );
}

/** Renders a screen with the providers it needs. Any other route shows its URL. */
export function renderScreen(
  screen: ReactElement,
  { at = '/', route, signedIn = true, state = null }: ScreenOptions = {},
): RenderResult & { user: UserEvent } {
  if (signedIn) useAuth.getState().signIn('test-token');
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false }, mutations: { retry: 0 } });
  const [pathname = '/', search] = at.split('?');
  const entry = { pathname, search: search ? `?${search}` : '', state };
  const view = render(
    <QueryClientProvider client={client}>
      <PageContext value={{ siteName: '', browserLoad: { current: { path: null } } }}>
        <MemoryRouter initialEntries={[entry]}>
          <Routes>
            <Route path={route ?? pathname} element={screen} />
            <Route path="*" element={<OtherScreen />} />
          </Routes>
        </MemoryRouter>
      </PageContext>
    </QueryClientProvider>,
  );
  return { ...view, user: userEvent.setup({ advanceTimers }) };
}
