import { onlineManager, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ErrorBoundary } from 'react-error-boundary';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { lazyScreen, screenFileOptions } from './lazyScreen';

const missingFile = Object.assign(new Error('Loading chunk 7 failed.'), { name: 'ChunkLoadError' });
const screenFile = { default: () => <p>The screen</p> };

function openScreen(load: Parameters<typeof screenFileOptions>[1]) {
  const Screen = lazyScreen(screenFileOptions('test', load));
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

describe('a screen’s chunk', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    onlineManager.setOnline(true);
  });

  it('shows the overlay while it loads', async () => {
    openScreen(() => Promise.resolve(screenFile));
    expect(screen.getByRole('status', { name: 'Loading' })).toBeVisible();
    expect(await screen.findByText('The screen')).toBeVisible();
  });

  it('can be requested again after a lost connection', async () => {
    onlineManager.setOnline(false);
    const load = vi.fn().mockRejectedValueOnce(missingFile).mockResolvedValue(screenFile);
    const user = openScreen(load);
    expect(await screen.findByRole('alert')).toHaveTextContent('We couldn’t connect.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('The screen')).toBeVisible();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is requested again by itself when the connection returns', async () => {
    onlineManager.setOnline(false);
    const load = vi.fn().mockRejectedValueOnce(missingFile).mockResolvedValue(screenFile);
    openScreen(load);
    await screen.findByRole('alert');
    onlineManager.setOnline(true);
    expect(await screen.findByText('The screen')).toBeVisible();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is requested again when the first request after the connection returned fails too', async () => {
    onlineManager.setOnline(false);
    const load = vi
      .fn()
      .mockRejectedValueOnce(missingFile)
      .mockRejectedValueOnce(missingFile)
      .mockResolvedValue(screenFile);
    openScreen(load);
    await screen.findByRole('alert');
    onlineManager.setOnline(true);
    expect(await screen.findByText('The screen', {}, { timeout: 3000 })).toBeVisible();
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('is requested again when a request made offline fails after the connection returned', async () => {
    onlineManager.setOnline(false);
    let fail: (error: Error) => void = () => undefined;
    const load = vi
      .fn()
      .mockReturnValueOnce(new Promise((_, reject) => (fail = reject)))
      .mockResolvedValue(screenFile);
    openScreen(load);
    onlineManager.setOnline(true);
    fail(missingFile);
    expect(await screen.findByText('The screen', {}, { timeout: 3000 })).toBeVisible();
  });

  it('is not reported as missing when the screen itself fails', async () => {
    openScreen(() => Promise.reject(new TypeError('x is undefined')));
    expect(await screen.findByText('Broken')).toBeVisible();
  });
});
