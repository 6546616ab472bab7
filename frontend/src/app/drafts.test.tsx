import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';

import { createQueryClient } from '@/lib/queryClient';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import { aGospelPlan, aPlan, aProfile, someManagePlans, somePreferences } from '@/testing/data';
import { refusal, server } from '@/testing/server';
import { App } from './App';

beforeEach(() => {
  const existingPlans = [aPlan(), aGospelPlan()];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(someManagePlans({ existingPlans })),
    ),
    http.get('*/api/account/pause/estimate', () => refusal(409, 'nothing_to_pause', 'Nothing.')),
    http.post('*/api/account/add-remove-service/estimate', () =>
      refusal(409, 'no_change', 'Nothing.'),
    ),
    http.get('*/api/account/profile', () => HttpResponse.json(aProfile())),
    http.get('*/api/invoice/list', () => HttpResponse.json([])),
    http.get('*/api/account/sessions', () => HttpResponse.json([])),
    http.get('*/api/account/communicationPreferences', () => HttpResponse.json(somePreferences())),
    http.get('*/api/account/billing-details', () =>
      HttpResponse.json({ email: 'ava@example.com' }),
    ),
  );
});

/** Opens a screen with a token that an earlier page left, and waits until it is known whose it is. */
async function openedAt(address: string) {
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
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
}

const code = () => screen.findByRole('textbox', { name: 'Code' });
const expire = () => act(() => useAuth.getState().expire('old-token'));

describe('what is entered when the session expires', () => {
  it('is there again after signing in: a code', async () => {
    const user = await openedAt('/coupon');
    await user.type(await code(), 'SAVE20');
    expire();
    await signInAs('ava@example.com', user);
    expect(await code()).toHaveValue('SAVE20');
    await waitFor(() => expect(useDrafts.getState().kept).toEqual({}));
  });

  it('is there again after signing in: a profile', async () => {
    const user = await openedAt('/edit-profile');
    const name = () => screen.findByRole('textbox', { name: 'First name' });
    await user.type(await name(), 'lina');
    expire();
    await signInAs('ava@example.com', user);
    expect(await name()).toHaveValue('Avalina');
  });

  it('is there again after signing in: which emails are wanted', async () => {
    const user = await openedAt('/emailPreferences');
    const box = async () => (await screen.findAllByRole('checkbox'))[0] as HTMLElement;
    await user.click(await box());
    expire();
    await signInAs('ava@example.com', user);
    expect(await box()).toBeChecked();
  });

  it('is there again after signing in: what to cancel, and why', async () => {
    const user = await openedAt('/cancelAll');
    const reason = () => screen.findByRole('combobox', { name: 'Why are you leaving?' });
    await user.selectOptions(await reason(), 'Too expensive');
    await user.click(screen.getByRole('checkbox', { name: 'Gospel TV' }));
    expire();
    await signInAs('ava@example.com', user);
    expect(await reason()).toHaveValue('Too expensive');
    expect(await screen.findByRole('checkbox', { name: 'Gospel TV' })).not.toBeChecked();
  });

  it('is not there again where one had left the screen before', async () => {
    const user = await openedAt('/coupon');
    await user.type(await code(), 'SAVE20');
    await user.click(screen.getByRole('link', { name: /Manage Your Account/ }));
    await screen.findByRole('heading', { name: 'Your account' });
    expire();
    await screen.findByRole('button', { name: 'Send code' });
    expect(useDrafts.getState().kept).toEqual({});
  });

  it('is nobody else’s', async () => {
    const user = await openedAt('/coupon');
    await user.type(await code(), 'SAVE20');
    expire();
    await signInAs('ben@example.com', user);
    expect(await code()).toHaveValue('');
    expect(useDrafts.getState().kept).toEqual({});
  });

  it('is gone where one has chosen to leave', async () => {
    const user = await openedAt('/coupon');
    await user.type(await code(), 'SAVE20');
    act(() => useAuth.getState().signOut());
    await screen.findByRole('button', { name: 'Send code' });
    expect(useDrafts.getState().kept).toEqual({});
  });
});
