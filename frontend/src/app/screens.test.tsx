import { onlineManager, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ErrorBoundary } from 'react-error-boundary';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createQueryClient } from '@/lib/queryClient';
import { lazyScreen, screenOptions } from './screens';

const missing = Object.assign(new Error('Loading chunk 7 failed.'), { name: 'ChunkLoadError' });
const file = { default: () => <p>The screen</p> };

function opened(load: Parameters<typeof screenOptions>[1]) {
  const Screen = lazyScreen(screenOptions('test', load));
  render(
    <MemoryRouter>
      <QueryClientProvider client={createQueryClient()}>
        <ErrorBoundary fallback={<p>Broken</p>}>
          <Screen />
        </ErrorBoundary>
      </QueryClientProvider>
    </MemoryRouter>,
  );
  return userEvent.setup();
}

describe('the file of a screen', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    onlineManager.setOnline(true);
  });

  it('is awaited under the overlay', async () => {
    opened(() => Promise.resolve(file));
    expect(screen.getByRole('status', { name: 'Loading' })).toBeVisible();
    expect(await screen.findByText('The screen')).toBeVisible();
  });

  it('is asked for again where the connection was lost', async () => {
    onlineManager.setOnline(false);
    const load = vi.fn().mockRejectedValueOnce(missing).mockResolvedValue(file);
    const user = opened(load);
    expect(await screen.findByRole('alert')).toHaveTextContent('We couldn’t reach the portal.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('The screen')).toBeVisible();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is not what is said to be missing where the screen itself broke', async () => {
    opened(() => Promise.reject(new TypeError('x is undefined')));
    expect(await screen.findByText('Broken')).toBeVisible();
  });
});
