import { act, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { useAuth } from '@/stores/auth';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import LandingPage from './LandingPage';

const SEND = '*/api/auth/send-otp';
const VERIFY = '*/api/auth/verify-otp';
const SENT = { message: 'Sent.', expiresIn: 600, resendIn: 30, challengeId: 'challenge-1' };
const SIGNED_IN = {
  token: 'fresh-token',
  expiresAt: '2026-12-04T12:00:00Z',
  account: { name: 'Ava', email: 'ava@example.com' },
};

let codeRequests: unknown[] = [];

beforeEach(() => {
  codeRequests = [];
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.use(
    http.post(SEND, async ({ request }) => {
      codeRequests.push(await request.json());
      return HttpResponse.json({ ...SENT, challengeId: `challenge-${codeRequests.length}` });
    }),
  );
});

function renderLanding(options: Parameters<typeof renderScreen>[1] = {}) {
  return renderScreen(<LandingPage />, { signedIn: false, ...options });
}

async function requestCode(options?: Parameters<typeof renderScreen>[1]) {
  const view = renderLanding(options);
  const user = view.user;
  await user.type(screen.getByRole('textbox', { name: 'Email address' }), ' ava@example.com ');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  const field = await screen.findByRole('textbox', { name: 'Six-digit code' });
  return { user, field };
}

function answerVerification(answer: () => Response) {
  const verifications: unknown[] = [];
  server.use(
    http.post(VERIFY, async ({ request }) => {
      verifications.push(await request.json());
      return answer();
    }),
  );
  return verifications;
}

describe('requesting a code', () => {
  it.each([
    ['(pointer: fine)', true],
    ['(pointer: coarse)', false],
  ])('starts in the field with a %s', (pointer, isFocused) => {
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (media) => Object.assign(new EventTarget(), { media, matches: media === pointer }) as never,
    );
    renderLanding();
    const field = screen.getByRole('textbox', { name: 'Email address' });
    expect(field === document.activeElement).toBe(isFocused);
  });

  // shows: api-1
  it('sends the address and focuses the code field', async () => {
    const { field } = await requestCode();
    expect(codeRequests).toEqual([{ email: 'ava@example.com' }]);
    expect(field).toHaveFocus();
    expect(field).toHaveAttribute('autocomplete', 'one-time-code');
    expect(field).toHaveAttribute('inputmode', 'numeric');
    expect(screen.getByText('ava@example.com')).toBeVisible();
  });

  it('rejects an empty address without a request', async () => {
    const { user } = renderLanding();
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    const field = screen.getByRole('textbox', { name: 'Email address' });
    expect(field).toHaveAccessibleDescription(/Please enter your email address\./);
    expect(field).toHaveFocus();
    expect(codeRequests).toEqual([]);
  });

  it('shows the server’s error and keeps the address', async () => {
    server.use(
      http.post(SEND, () =>
        errorResponse(400, 'validation_error', 'Please check your entries.', {
          fields: { email: ['Enter a valid email address.'] },
        }),
      ),
    );
    const { user } = renderLanding();
    const field = screen.getByRole('textbox', { name: 'Email address' });
    await user.type(field, 'ava@');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Enter a valid email address\./));
    expect(field).toHaveValue('ava@');
  });

  // shows: error-29, landing-3
  it('tells a limit as a wait', async () => {
    server.use(
      http.post(SEND, () =>
        errorResponse(429, 'throttled', 'Too many codes.', { retryAfter: 300 }),
      ),
    );
    const { user } = renderLanding();
    await user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ava@example.com');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    expect(
      await screen.findByText(
        'You can ask for another code in 5 minutes. A code that you have still works.',
      ),
    ).toBeVisible();
  });

  it('says when the portal cannot be reached', async () => {
    server.use(http.post(SEND, () => HttpResponse.error()));
    const { user } = renderLanding();
    await user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ava@example.com');
    await user.click(screen.getByRole('button', { name: 'Send code' }));
    expect(await screen.findByText(/We couldn’t connect\./)).toBeVisible();
  });

  it('allows another code only after the waiting time', async () => {
    const { user } = await requestCode();
    expect(screen.getByText('Resend code in 0:30')).toBeVisible();
    await vi.advanceTimersByTimeAsync(30_500);
    await user.click(await screen.findByRole('button', { name: 'Resend code' }));
    await screen.findByText('Resend code in 0:30');
    expect(codeRequests[1]).toEqual({ email: 'ava@example.com', challengeId: 'challenge-1' });
  });

  // shows: landing-3
  it('counts down to the next code after a refusal', async () => {
    const { user, field } = await requestCode();
    await vi.advanceTimersByTimeAsync(30_500);
    server.use(
      http.post(SEND, () =>
        errorResponse(429, 'throttled', 'Too many codes.', { retryAfter: 1500 }),
      ),
    );
    await user.click(await screen.findByRole('button', { name: 'Resend code' }));
    expect(await screen.findByText('Resend code in 25:00')).toBeVisible();
    expect(field).not.toHaveAttribute('aria-invalid');
    expect(field).toHaveFocus();
  });

  it('empties and focuses the field after another code is sent', async () => {
    const { user, field } = await requestCode();
    await user.type(field, '123');
    await vi.advanceTimersByTimeAsync(30_500);
    await user.click(await screen.findByRole('button', { name: 'Resend code' }));
    await screen.findByText('Resend code in 0:30');
    expect(field).toHaveValue('');
    expect(field).toHaveFocus();
  });

  it('goes back to change the address', async () => {
    const { user } = await requestCode();
    await user.click(screen.getByRole('button', { name: 'Use a different email address' }));
    expect(screen.getByRole('textbox', { name: 'Email address' })).toHaveValue('ava@example.com');
  });

  it('for another address is not overtaken by the sign-in that was left', async () => {
    server.use(
      http.post(VERIFY, async () => {
        await new Promise((wait) => setTimeout(wait, 20_000));
        return HttpResponse.json(SIGNED_IN);
      }),
    );
    const { user, field } = await requestCode();
    await user.type(field, '123456');
    await user.click(screen.getByRole('button', { name: 'Use a different email address' }));
    await act(() => vi.advanceTimersByTimeAsync(21_000));
    expect(screen.getByRole('textbox', { name: 'Email address' })).toBeVisible();
    expect(useAuth.getState().token).toBeNull();
  });

  describe('again, with an answer that comes late', () => {
    async function resendSlowly() {
      const view = await requestCode();
      await vi.advanceTimersByTimeAsync(30_500);
      server.use(
        http.post(SEND, async () => {
          await new Promise((wait) => setTimeout(wait, 60_000));
          return HttpResponse.json(SENT);
        }),
      );
      await view.user.click(await screen.findByRole('button', { name: 'Resend code' }));
      return view;
    }
    const awaitAnswer = () => act(() => vi.advanceTimersByTimeAsync(61_000));

    it('keeps the subscriber on the screen that the sign-in led to', async () => {
      answerVerification(() => HttpResponse.json(SIGNED_IN));
      const { user, field } = await resendSlowly();
      await user.type(field, '123456');
      await screen.findByTestId('elsewhere');
      await awaitAnswer();
      expect(screen.getByTestId('elsewhere')).toHaveTextContent('/dashboard');
    });

    it('keeps the form for another address', async () => {
      const { user } = await resendSlowly();
      await user.click(screen.getByRole('button', { name: 'Use a different email address' }));
      await user.type(screen.getByRole('textbox', { name: 'Email address' }), '.au');
      await awaitAnswer();
      expect(screen.getByRole('textbox', { name: 'Email address' })).toHaveValue(
        'ava@example.com.au',
      );
    });
  });
});

describe('entering the code', () => {
  // shows: api-2
  it('sends a pasted code by itself and goes to the dashboard', async () => {
    const verifications = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await requestCode();
    await user.click(field);
    await user.paste('123 456');

    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(verifications).toEqual([
      { email: 'ava@example.com', otp: '123456', challengeId: 'challenge-1' },
    ]);
    expect(localStorage.getItem('token')).toBe('fresh-token');
    expect(Object.keys(localStorage)).toEqual(['token']);
  });

  it('goes to the intended path', async () => {
    answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await requestCode({ state: { from: '/dashboard?undo=sub_1' } });
    await user.type(field, '123456{Enter}');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard?undo=sub_1');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
  ])('never goes to another site: %s', async (from) => {
    answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await requestCode({ state: { from } });
    await user.type(field, '123456{Enter}');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  it('shows an error for a wrong code, and keeps and selects it', async () => {
    answerVerification(() => errorResponse(400, 'invalid_otp', 'That code is not right.'));
    const { user, field } = await requestCode();
    await user.type(field, '111111{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/That code is not right\./));
    expect(field).toHaveValue('111111');
    expect(field).toHaveFocus();
    expect(useAuth.getState().token).toBeNull();
  });

  // shows: landing-3
  it('shows the wait of a limit of tries, and nothing else', async () => {
    const wait = 'You can try again in 9 minutes.';
    answerVerification(() => errorResponse(429, 'throttled', wait, { retryAfter: 540 }));
    const { user, field } = await requestCode();
    await user.type(field, '111111');
    expect(await screen.findByText(wait)).toBeVisible();
    expect(field).toHaveFocus();
  });

  // shows: landing-3
  it('sends a code once when its sixth digit is typed, and again after it was corrected', async () => {
    const verifications = answerVerification(() =>
      errorResponse(400, 'invalid_otp', 'That code is not right.'),
    );
    const { user, field } = await requestCode();
    await user.type(field, '111111');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/That code is not right\./));
    expect(verifications).toHaveLength(1);
    await user.type(field, '{Backspace}2', { initialSelectionStart: 6, initialSelectionEnd: 6 });
    await waitFor(() => expect(verifications).toHaveLength(2));
    expect(verifications[1]).toMatchObject({ otp: '111112' });
  });

  // shows: landing-3
  it('can be done after a reload', async () => {
    const verifications = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const challenge = {
      email: 'ava@example.com',
      challengeId: 'challenge-9',
      resendAt: Date.now(),
    };
    const { user } = renderLanding({ state: { from: '/coupon', challenge } });
    await user.type(screen.getByRole('textbox', { name: 'Six-digit code' }), '123456');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/coupon');
    expect(verifications).toEqual([
      { email: 'ava@example.com', otp: '123456', challengeId: 'challenge-9' },
    ]);
  });

  // shows: landing-3
  it('needs no new code if the visitor has one already', async () => {
    const verifications = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user } = renderLanding();
    const address = screen.getByRole('textbox', { name: 'Email address' });
    await user.click(screen.getByRole('button', { name: 'I have a code already' }));
    expect(address).toHaveAccessibleDescription(/Please enter your email address\./);
    await user.type(address, 'ava@example.com');
    await user.click(screen.getByRole('button', { name: 'I have a code already' }));
    expect(screen.getByText(/Enter the code that we emailed to/)).toBeVisible();
    await user.type(screen.getByRole('textbox', { name: 'Six-digit code' }), '123456');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(codeRequests).toEqual([]);
    expect(verifications).toEqual([{ email: 'ava@example.com', otp: '123456' }]);
  });

  it('says that the address of a code at hand is none', async () => {
    const fields = { email: ['Enter a valid email address.'] };
    answerVerification(() => errorResponse(400, 'validation_error', 'Check it.', { fields }));
    const { user } = renderLanding();
    await user.type(screen.getByRole('textbox', { name: 'Email address' }), 'ava');
    await user.click(screen.getByRole('button', { name: 'I have a code already' }));
    const field = screen.getByRole('textbox', { name: 'Six-digit code' });
    await user.type(field, '123456');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Enter a valid email address\./));
  });

  it('requires all six digits before a request', async () => {
    const verifications = answerVerification(() => HttpResponse.json(SIGNED_IN));
    const { user, field } = await requestCode();
    await user.type(field, '12a3{Enter}');
    expect(field).toHaveAccessibleDescription(/Enter the six-digit code/);
    expect(verifications).toEqual([]);
  });

  it('says when the code has expired', async () => {
    const { user, field } = await requestCode();
    await vi.advanceTimersByTimeAsync(601_000);
    await user.type(field, '123456{Enter}');
    expect(field).toHaveAccessibleDescription(/This code has expired\./);
  });
});

describe('the landing page', () => {
  // shows: landing-1
  it('greets a visitor who is signed in', async () => {
    renderLanding({ signedIn: true });
    expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute(
      'href',
      '/dashboard',
    );
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
    expect(document.title).toBe('You’re signed in');
  });

  it('says when the session has ended', () => {
    useAuth.getState().signIn('old');
    useAuth.getState().expire('old');
    renderLanding();
    expect(screen.getByRole('status')).toHaveTextContent('Your session has ended.');
  });

  // shows: rule-14, landing-2
  it('links to the brand’s terms and privacy policy', async () => {
    renderLanding();
    expect(await screen.findByRole('link', { name: /Terms of Service/ })).toHaveAttribute(
      'href',
      'https://example.com/terms',
    );
  });
});
