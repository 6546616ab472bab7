import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useAuth } from '@/stores/auth';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import LandingPage from './LandingPage';

const SEND = '*/api/auth/send-otp';
const VERIFY = '*/api/auth/verify-otp';
const SENT = { message: 'Sent.', expiresIn: 600, resendIn: 30, challengeId: 'challenge-1' };
const SIGNED_IN = {
  token: 'fresh-token',
  expiresAt: '2026-12-04T12:00:00Z',
  account: { name: 'Ava', email: 'ava@example.com' },
};

let asked: unknown[] = [];

beforeEach(() => {
  asked = [];
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.use(
    http.post(SEND, async ({ request }) => {
      asked.push(await request.json());
      return HttpResponse.json({ ...SENT, challengeId: `challenge-${asked.length}` });
    }),
  );
});
afterEach(() => vi.useRealTimers());

function landing(options: Parameters<typeof renderScreen>[1] = {}) {
  return renderScreen(<LandingPage />, { signedIn: false, ...options });
}

async function withCodeSent(options?: Parameters<typeof renderScreen>[1]) {
  const view = landing(options);
  const user = view.user;
  await user.type(screen.getByRole('textbox', { name: 'Email address' }), ' ava@example.com ');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  const field = await screen.findByRole('textbox', { name: 'Six-digit code' });
  return { user, field };
}

function answerVerification(answer: () => Response) {
  const sent: unknown[] = [];
  server.use(
    http.post(VERIFY, async ({ request }) => {
      sent.push(await request.json());
      return answer();
    }),
  );
  return sent;
}

describe('asking for a code', () => {
  it('sends the address and asks for the code, ready to type', async () => {
    const { field } = await withCodeSent();
    expect(asked).toEqual([{ email: 'ava@example.com' }]);
    expect(field).toHaveFocus();
    expect(field).toHaveAttribute('autocomplete', 'one-time-code');
    expect(field).toHaveAttribute('inputmode', 'numeric');
    expect(screen.getByText('ava@example.com')).toBeVisible();
  });

  it('refuses an empty address without asking the server', async () => {
    const { user } = landing();
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    const field = screen.getByRole('textbox', { name: 'Email address' });
    expect(field).toHaveAccessibleDescription(/Please enter your email address\./);
    expect(field).toHaveFocus();
    expect(asked).toEqual([]);
  });

  it('shows what the server says about the address and keeps it', async () => {
    server.use(
      http.post(SEND, () =>
        refusal(400, 'validation_error', 'Please check your entries.', {
          fields: { email: ['Enter a valid email address.'] },
        }),
      ),
    );
    const { user } = landing();
    const field = screen.getByRole('textbox', { name: 'Email address' });
    await user.type(field, 'ava@');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Enter a valid email address\./));
    expect(field).toHaveValue('ava@');
  });

  it('says how long to wait when asked too often', async () => {
    server.use(
      http.post(SEND, () => refusal(429, 'throttled', 'Too many codes.', { retryAfter: 300 })),
    );
    const { user } = landing();
    await user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ava@example.com');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    expect(await screen.findByText('Too many codes. Try again in 5 minutes.')).toBeVisible();
  });

  it('says so when the portal cannot be reached', async () => {
    server.use(http.post(SEND, () => HttpResponse.error()));
    const { user } = landing();
    await user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ava@example.com');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    expect(await screen.findByText(/We couldn’t reach the portal\./)).toBeVisible();
  });

  it('sends another code only once the time between two has passed', async () => {
    const { user } = await withCodeSent();
    expect(screen.getByText('You can ask for a new code in 30 s')).toBeVisible();
    await vi.advanceTimersByTimeAsync(30_500);
    await user.click(await screen.findByRole('button', { name: 'Send a new code' }));
    await screen.findByText('You can ask for a new code in 30 s');
    expect(asked[1]).toEqual({ email: 'ava@example.com', challengeId: 'challenge-1' });
  });

  it('has another code typed into an empty field that has the focus', async () => {
    const { user, field } = await withCodeSent();
    await user.type(field, '123');
    await vi.advanceTimersByTimeAsync(30_500);
    await user.click(await screen.findByRole('button', { name: 'Send a new code' }));
    await screen.findByText('You can ask for a new code in 30 s');
    expect(field).toHaveValue('');
    expect(field).toHaveFocus();
  });

  it('goes back to another address', async () => {
    const { user } = await withCodeSent();
    await user.click(screen.getByRole('button', { name: 'Use a different email address' }));
    expect(screen.getByRole('textbox', { name: 'Email address' })).toHaveValue('ava@example.com');
  });
});

describe('entering the code', () => {
  it('signs in with the digits of what was pasted and goes to the account home', async () => {
    const sent = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await withCodeSent();
    await user.click(field);
    await user.paste('123 456');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));

    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(sent).toEqual([{ email: 'ava@example.com', otp: '123456', challengeId: 'challenge-1' }]);
    expect(localStorage.getItem('token')).toBe('fresh-token');
    expect(Object.keys(localStorage)).toEqual(['token']);
  });

  it('goes where one was going', async () => {
    answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await withCodeSent({ state: { from: '/dashboard?undo=sub_1' } });
    await user.type(field, '123456{Enter}');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard?undo=sub_1');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
  ])('goes to no other site: %s', async (from) => {
    answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await withCodeSent({ state: { from } });
    await user.type(field, '123456{Enter}');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  it('says that a code is wrong, keeps it and selects it', async () => {
    answerVerification(() => refusal(400, 'invalid_otp', 'That code is not right.'));
    const { user, field } = await withCodeSent();
    await user.type(field, '111111{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/That code is not right\./));
    expect(field).toHaveValue('111111');
    expect(field).toHaveFocus();
    expect(useAuth.getState().token).toBeNull();
  });

  it('asks for all six digits before it asks the server', async () => {
    const sent = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await withCodeSent();
    await user.type(field, '12a3{Enter}');
    expect(field).toHaveAccessibleDescription(/all six digits/);
    expect(sent).toEqual([]);
  });

  it('says that the code has expired', async () => {
    const { user, field } = await withCodeSent();
    await vi.advanceTimersByTimeAsync(601_000);
    await user.type(field, '123456{Enter}');
    expect(field).toHaveAccessibleDescription(/This code has expired\./);
  });
});

describe('the landing page', () => {
  it('greets one who came signed in', async () => {
    landing({ signedIn: true });
    expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute(
      'href',
      '/dashboard',
    );
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  });

  it('says why one is here when the session has ended', () => {
    useAuth.getState().signIn('old');
    useAuth.getState().expire('old');
    landing();
    expect(screen.getByRole('status')).toHaveTextContent('Your session has ended.');
  });

  it('shows the brand’s terms and privacy links', async () => {
    landing();
    expect(await screen.findByRole('link', { name: /Terms of Service/ })).toHaveAttribute(
      'href',
      'https://example.com/terms',
    );
  });
});
