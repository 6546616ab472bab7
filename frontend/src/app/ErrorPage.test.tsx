import { render, screen } from '@testing-library/react';
import { ErrorBoundary } from 'react-error-boundary';
import { MemoryRouter } from 'react-router-dom';
import { expect, it, vi } from 'vitest';

import { ErrorPage } from './ErrorPage';

function Broken(): never {
  throw new Error('TypeError: a secret detail');
}

// shows: routes-7
it('shows a general message without details, and links to continue', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  render(
    <MemoryRouter>
      <ErrorBoundary FallbackComponent={ErrorPage}>
        <Broken />
      </ErrorBoundary>
    </MemoryRouter>,
  );
  expect(
    screen.getByRole('heading', { level: 1, name: 'Unexpected Application Error!' }),
  ).toBeVisible();
  expect(screen.getByRole('link', { name: 'Go to the start page' })).toHaveAttribute('href', '/');
  expect(screen.queryByText(/secret detail/)).toBeNull();
});
