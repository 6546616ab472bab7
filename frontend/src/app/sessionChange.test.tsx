import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { useAuth } from '@/stores/auth';
import {
  makeManagePlans,
  makePaymentFailure,
  makePeriodEstimate,
  makePlan,
} from '@/testing/fixtures';
import { server } from '@/testing/server';
import { App } from './App';

beforeEach(() => {
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: [makePlan()] })),
    ),
  );
});

/** Opens a screen of a signed-in subscriber. */
function openApp(address: string) {
  useAuth.getState().signIn('first-token', 'ava@example.com');
  render(
    <MemoryRouter initialEntries={[address]}>
      <App queryClient={createQueryClient()} />
    </MemoryRouter>,
  );
  return userEvent.setup();
}

describe('a change that is being sent when its session ends', () => {
  it('does not cover the sign-in form', async () => {
    server.use(
      http.post('*/api/account/add-coupon/:code', () => new Promise<never>(() => undefined)),
    );
    const user = openApp('/coupon');
    await user.type(await screen.findByRole('textbox', { name: 'Code' }), 'SAVE20{Enter}');
    expect(screen.getByText('Loading')).toBeVisible();
    act(() => useAuth.getState().signOut());
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
    expect(screen.queryByText('Loading')).not.toBeInTheDocument();
  });
});

describe('a code that is being sent when another tab signs in', () => {
  it('does not lead back from the account once it is sent', async () => {
    let sendAnswer: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      sendAnswer = resolve;
    });
    server.use(
      http.post('*/api/auth/send-otp', async () => {
        await arrived;
        return HttpResponse.json({
          message: '',
          expiresIn: 600,
          resendIn: 30,
          challengeId: 'challenge',
        });
      }),
    );
    const user = userEvent.setup();
    render(
      <MemoryRouter>
        <App queryClient={createQueryClient()} />
      </MemoryRouter>,
    );
    const field = await screen.findByRole('textbox', { name: 'Email address' });
    await user.type(field, 'ava@example.com{Enter}');
    localStorage.setItem('token', 'second-token');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'token' })));
    await user.click(await screen.findByRole('link', { name: 'Profile' }));
    await screen.findByRole('heading', { level: 1, name: 'Your Profile' });
    sendAnswer();
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Your Profile');
  });
});

describe('a sign-in of another subscriber in another tab', () => {
  it('is not led to the receipt of a change whose plans are still being read', async () => {
    let isRedeemed = false;
    server.use(
      http.post('*/api/account/add-coupon/:code', () => {
        isRedeemed = true;
        return HttpResponse.json({
          ...makePeriodEstimate({ existingPlans: [makePlan()] }),
          appliedTo: 'sub_faith',
        });
      }),
      http.get('*/api/account/manage-plans', async () => {
        if (isRedeemed) await delay(200);
        return HttpResponse.json(makeManagePlans({ existingPlans: [makePlan()] }));
      }),
    );
    const user = openApp('/coupon');
    await user.type(await screen.findByRole('textbox', { name: 'Code' }), 'SAVE20{Enter}');
    await waitFor(() => expect(isRedeemed).toBe(true));
    await waitFor(() => expect(screen.queryByText('Loading')).not.toBeInTheDocument());
    localStorage.setItem('token', 'second-token');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'token' })));
    await act(() => new Promise((resolve) => setTimeout(resolve, 400)));
    expect(await screen.findByRole('textbox', { name: 'Code' })).toHaveValue('');
    expect(screen.queryByText(/^Your code was applied/)).not.toBeInTheDocument();
  });

  it('shows their failed payment', async () => {
    server.use(
      http.get('*/api/account/check-payment-failure', ({ request }) => {
        const isSecond = request.headers.get('Authorization') === 'Bearer second-token';
        return HttpResponse.json(makePaymentFailure({ hasPaymentFailure: isSecond }));
      }),
    );
    openApp('/coupon');
    await screen.findByRole('textbox', { name: 'Code' });
    localStorage.setItem('token', 'second-token');
    // A page that was frozen meanwhile never saw the sign-out.
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    expect(await screen.findByRole('region', { name: 'Payment Failed' })).toBeVisible();
  });
});
