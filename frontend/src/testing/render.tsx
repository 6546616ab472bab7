import { QueryClientProvider } from '@tanstack/react-query';
import { type RenderResult, render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';

import { vi } from 'vitest';

import { createQueryClient } from '@/lib/queryClient';
import { useAuth } from '@/stores/auth';

interface ScreenOptions {
  /** Where one is, query included. */
  at?: string;
  /** The route the screen sits on, where it reads parameters from the path. */
  route?: string;
  signedIn?: boolean;
  /** Navigation state. */
  state?: unknown;
}

/** Lets typing go on where a test has stopped the clock. */
function advanceTimers(ms: number): void {
  if (vi.isFakeTimers()) vi.advanceTimersByTime(ms);
}

/** Shows where one has gone, as `elsewhere` in the document. */
function Elsewhere() {
  const { pathname, search } = useLocation();
  return <p data-testid="elsewhere">{pathname + search}</p>;
}

/** Draws one screen with everything around it that it needs; any other address shows itself. */
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
      <MemoryRouter initialEntries={[entry]}>
        <Routes>
          <Route path={route ?? pathname} element={screen} />
          <Route path="*" element={<Elsewhere />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { ...view, user: userEvent.setup({ advanceTimers }) };
}
