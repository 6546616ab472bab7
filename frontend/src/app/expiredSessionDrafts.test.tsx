import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import {
  makeGospelPlan,
  makeManagePlans,
  makeOfferedPlan,
  makePlan,
  makePreferences,
  makeProfile,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import { App } from './App';

beforeEach(() => {
  const existingPlans = [makePlan(), makeGospelPlan()];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans })),
    ),
    http.get('*/api/account/pause/estimate', () =>
      errorResponse(409, 'nothing_to_pause', 'Nothing.'),
    ),
    http.post('*/api/account/add-remove-service/estimate', () =>
      errorResponse(409, 'no_change', 'Nothing.'),
    ),
    http.get('*/api/account/profile', () => HttpResponse.json(makeProfile())),
    http.get('*/api/invoice/list', () => HttpResponse.json([])),
    http.get('*/api/account/sessions', () => HttpResponse.json([])),
    http.get('*/api/account/communicationPreferences', () => HttpResponse.json(makePreferences())),
    http.get('*/api/account/billing-details', () =>
      HttpResponse.json({ email: 'ava@example.com' }),
    ),
  );
});

/** Opens a screen with a stored token, and waits until the account has loaded. */
async function openApp(address: string) {
  useAuth.getState().signIn('old-token');
  const queryClient = createQueryClient();
  render(
    <MemoryRouter initialEntries={[address]}>
      <App queryClient={queryClient} />
    </MemoryRouter>,
  );
  await waitFor(() => expect(queryClient.getQueryData(['account', 'detail'])).toBeDefined());
  return userEvent.setup();
}

async function signInAs(email: string, user: UserEvent) {
  server.use(
    http.post('*/api/auth/send-otp', () =>
      HttpResponse.json({ message: '', expiresIn: 600, resendIn: 30, challengeId: 'challenge' }),
    ),
    http.post('*/api/auth/verify-otp', () =>
      HttpResponse.json({
        token: 'new-token',
        expiresAt: '2026-12-04T12:00:00Z',
        account: { name: '', email },
      }),
    ),
  );
  await user.type(await screen.findByRole('textbox', { name: 'Email address' }), email);
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  await user.type(await screen.findByRole('textbox', { name: 'Six-digit code' }), '123456');
}

const findCodeField = () => screen.findByRole('textbox', { name: 'Code' });
const expireSession = () => act(() => useAuth.getState().expire('old-token'));

describe('a form’s draft when the session expires', () => {
  it('is restored after sign-in: a coupon code', async () => {
    const user = await openApp('/coupon');
    await user.type(await findCodeField(), 'SAVE20');
    expireSession();
    await signInAs('ava@example.com', user);
    expect(await findCodeField()).toHaveValue('SAVE20');
    await waitFor(() => expect(useDrafts.getState().saved).toEqual({}));
  });

  it('is restored after sign-in: a profile', async () => {
    const user = await openApp('/edit-profile');
    const findNameField = () => screen.findByRole('textbox', { name: 'First name' });
    await user.type(await findNameField(), 'lina');
    expireSession();
    await signInAs('ava@example.com', user);
    expect(await findNameField()).toHaveValue('Avalina');
  });

  it('is restored after sign-in: email preferences', async () => {
    const user = await openApp('/emailPreferences');
    const findFirstCheckbox = async () =>
      (await screen.findAllByRole('checkbox'))[0] as HTMLElement;
    await user.click(await findFirstCheckbox());
    expireSession();
    await signInAs('ava@example.com', user);
    expect(await findFirstCheckbox()).toBeChecked();
  });

  it('is restored after sign-in: a cancellation and its survey', async () => {
    const user = await openApp('/cancelAll');
    const findReasonField = () => screen.findByRole('combobox', { name: 'Why are you leaving?' });
    await screen.findByRole('option', { name: 'Too expensive' });
    await user.selectOptions(await findReasonField(), 'Too expensive');
    await user.click(screen.getByRole('checkbox', { name: 'Gospel TV' }));
    expireSession();
    await signInAs('ava@example.com', user);
    expect(await findReasonField()).toHaveValue('Too expensive');
    expect(await screen.findByRole('checkbox', { name: 'Gospel TV' })).not.toBeChecked();
  });

  it.each([
    ['restored after sign-in', 'ava@example.com', true],
    ['not shown to another subscriber', 'ben@example.com', false],
  ])('is %s: a selection of services', async (_what, email, isChecked) => {
    const costs = makeManagePlans({ existingPlans: [makePlan()], plans: [makeOfferedPlan()] });
    server.use(http.get('*/api/account/manage-plans', () => HttpResponse.json(costs)));
    const user = await openApp('/manage-subscription');
    const findService = () => screen.findByRole<HTMLInputElement>('checkbox', { name: 'Kids' });
    await user.click(await findService());
    expireSession();
    await signInAs(email, user);
    expect((await findService()).checked).toBe(isChecked);
  });

  it('is restored after sign-in if the session has ended in another tab', async () => {
    const user = await openApp('/coupon');
    await user.type(await findCodeField(), 'SAVE20');
    localStorage.removeItem('token');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'token' })));
    expect(await screen.findByText(/^Your session has ended\./)).toBeVisible();
    await signInAs('ava@example.com', user);
    expect(await findCodeField()).toHaveValue('SAVE20');
  });

  it('is discarded after leaving the screen', async () => {
    const user = await openApp('/coupon');
    await user.type(await findCodeField(), 'SAVE20');
    await user.click(screen.getByRole('link', { name: /Manage Your Account/ }));
    await screen.findByRole('heading', { name: 'Make a change' });
    expireSession();
    await screen.findByRole('button', { name: 'Send code' });
    expect(useDrafts.getState().saved).toEqual({});
  });

  it('is not shown to another subscriber', async () => {
    const user = await openApp('/coupon');
    await user.type(await findCodeField(), 'SAVE20');
    expireSession();
    await signInAs('ben@example.com', user);
    expect(await findCodeField()).toHaveValue('');
    expect(useDrafts.getState().saved).toEqual({});
  });

  it('is discarded on logout', async () => {
    const user = await openApp('/coupon');
    await user.type(await findCodeField(), 'SAVE20');
    act(() => useAuth.getState().signOut());
    await screen.findByRole('button', { name: 'Send code' });
    expect(useDrafts.getState().saved).toEqual({});
  });
});
