import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { BrowserRouter } from 'react-router-dom';
import { afterEach, expect, it } from 'vitest';

import { App } from '@/app/App';
import { createQueryClient } from '@/lib/api/queryClient';
import { server } from '@/testing/server';

afterEach(() => window.history.replaceState(null, '', '/'));

it('skips to the content without losing what the history entry keeps', async () => {
  server.use(
    http.post('*/api/auth/send-otp', () =>
      HttpResponse.json({ message: '', expiresIn: 600, resendIn: 30, challengeId: 'challenge' }),
    ),
  );
  const user = userEvent.setup();
  render(
    <BrowserRouter>
      <App queryClient={createQueryClient()} />
    </BrowserRouter>,
  );
  const field = await screen.findByRole('textbox', { name: 'Email address' });
  await user.type(field, 'ava@example.com{Enter}');
  await screen.findByRole('textbox', { name: 'Six-digit code' });
  await user.click(screen.getByRole('link', { name: 'Skip to content' }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(screen.getByRole('textbox', { name: 'Six-digit code' })).toBeVisible();
  expect(screen.getByRole('main')).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('main')).not.toHaveAttribute('tabindex');
});
