import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';

import { createQueryClient } from '@/lib/api/queryClient';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import {
  makeManagePlans,
  makeOfferedPlan,
  makeOtherCustomer,
  makePaymentFailure,
  makePlan,
  makeProfile,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import { App } from './App';

/** Whether the session has continued in the other customer of the address. */
let isSwitched: boolean;

beforeEach(() => {
  isSwitched = false;
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(
        makeManagePlans({ existingPlans: [makePlan()], plans: [makeOfferedPlan()] }),
      ),
    ),
    http.get('*/api/account/check-payment-failure', async () => {
      // Longer than the other reads.
      await delay(100);
      return HttpResponse.json(makePaymentFailure());
    }),
    http.post('*/api/account/add-remove-service/estimate', () =>
      errorResponse(409, 'no_change', 'Nothing.'),
    ),
    http.get('*/api/invoice/list', () => HttpResponse.json([])),
    http.get('*/api/account/sessions', () => HttpResponse.json([])),
    http.get('*/api/account/profile', () =>
      HttpResponse.json(makeProfile(isSwitched ? { firstName: 'Kim' } : {})),
    ),
    http.get('*/api/account/others', () =>
      HttpResponse.json(isSwitched ? [] : [makeOtherCustomer()]),
    ),
    http.post('*/api/account/others/switch', () => {
      isSwitched = true;
      return new HttpResponse(null, { status: 204 });
    }),
  );
});

function openApp(address: string) {
  useAuth.getState().signIn('token', 'ava@example.com');
  render(
    <MemoryRouter initialEntries={[address]}>
      <App queryClient={createQueryClient()} />
    </MemoryRouter>,
  );
  return userEvent.setup();
}

async function switchHere(user: ReturnType<typeof userEvent.setup>) {
  await user.click(await screen.findByRole('button', { name: 'Switch to Faith & Family' }));
  await screen.findByText('You switched accounts.');
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'Your other accounts' })).toBeNull(),
  );
}

/** Does what another tab does when its subscriber switches there. */
function switchInOtherTab() {
  isSwitched = true;
  const otherTab = new BroadcastChannel('account-changed');
  otherTab.postMessage('switched');
  otherTab.close();
}

describe('a switch to another account of the address', () => {
  it('moves the focus to the heading of its home, also on the page that the browser loaded', async () => {
    await switchHere(openApp('/dashboard'));
    await screen.findByRole('article', { name: 'Faith & Family' });
    expect(screen.getByRole('heading', { level: 1, name: 'Hello, Ava' })).toHaveFocus();
  });

  it('drops in another tab what was selected for the previous one', async () => {
    const user = openApp('/manage-subscription');
    const findKids = () => screen.findByRole<HTMLInputElement>('checkbox', { name: 'Kids' });
    await user.click(await findKids());
    expect(await findKids()).toBeChecked();
    switchInOtherTab();
    await waitFor(async () => expect(await findKids()).not.toBeChecked());
  });

  it('drops in another tab what was typed for the previous one', async () => {
    const user = openApp('/edit-profile');
    const findName = () => screen.findByRole('textbox', { name: 'First name' });
    await user.type(await findName(), 'lina');
    switchInOtherTab();
    await waitFor(async () => expect(await findName()).toHaveValue('Kim'));
  });

  // A sign-in chooses the account anew, which may be the first one.
  it('keeps no draft for a sign-in after its session has expired', async () => {
    const user = openApp('/dashboard');
    await switchHere(user);
    await user.click(screen.getByRole('link', { name: 'Profile' }));
    await user.type(await screen.findByRole('textbox', { name: 'First name' }), 'berly');
    act(() => useAuth.getState().expire('token'));
    await screen.findByRole('button', { name: 'Send code' });
    expect(useDrafts.getState().saved).toEqual({});
  });
});
