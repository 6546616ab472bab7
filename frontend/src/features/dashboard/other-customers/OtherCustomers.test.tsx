import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { OtherCustomer } from '@/lib/api/types';
import { useCart } from '@/stores/cart';
import { useSnackbar } from '@/stores/snackbar';
import { makeAccount, makeOtherCustomer } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import { OtherCustomers } from './OtherCustomers';

let others: OtherCustomer[];

beforeEach(() => {
  others = [makeOtherCustomer()];
  server.use(
    http.get('*/api/account/others', () => HttpResponse.json(others)),
    http.get('*/api/account', () => HttpResponse.json(makeAccount())),
  );
});

const renderOthers = () => renderScreen(<OtherCustomers />, { at: '/dashboard' });
const findPanel = () => screen.findByRole('region', { name: 'Your other accounts' });

describe('the other accounts of the email address', () => {
  // shows: dashboard-20, rule-18
  it('show what each pays for', async () => {
    renderOthers();
    expect(await findPanel()).toHaveTextContent('Faith & Family$6.99 / month · Active');
  });

  it('say so if one has nothing live', async () => {
    others = [makeOtherCustomer({ plans: [] })];
    renderOthers();
    expect(await findPanel()).toHaveTextContent('No current subscriptions');
    expect(screen.getByRole('button', { name: 'Switch to the other account' })).toBeVisible();
  });

  // shows: dashboard-20, api-61
  it('can be switched to', async () => {
    const switched: unknown[] = [];
    server.use(
      http.post('*/api/account/others/switch', async ({ request }) => {
        switched.push(await request.json());
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const scrolled = vi.spyOn(window, 'scrollTo');
    const { user } = renderOthers();
    const button = within(await findPanel()).getByRole('button', {
      name: 'Switch to Faith & Family',
    });
    await user.click(button);
    await waitFor(() => expect(useSnackbar.getState().content).toBe('You switched accounts.'));
    expect(switched).toEqual([{ customerId: 'other' }]);
    expect(scrolled).toHaveBeenCalledWith(0, 0);
  });

  it('do not get the services that were selected before the switch', async () => {
    server.use(
      http.post('*/api/account/others/switch', () => new HttpResponse(null, { status: 204 })),
    );
    const { user } = renderOthers();
    const owner = 'ava@example.com';
    useCart.getState().load({ planIds: ['faith-family-plan'], isYearly: false, owner });
    useCart.getState().choose(['faith-family-plan', 'Minno-Plan']);
    await user.click(within(await findPanel()).getByRole('button'));
    await waitFor(() => expect(useSnackbar.getState().content).toBe('You switched accounts.'));
    expect(useCart.getState()).toMatchObject({ planLoaded: false, items: [] });
  });

  it('say why a switch failed', async () => {
    server.use(
      http.post('*/api/account/others/switch', () =>
        errorResponse(404, 'not_found', 'We couldn’t find that.'),
      ),
    );
    const { user } = renderOthers();
    await user.click(within(await findPanel()).getByRole('button'));
    await waitFor(() => expect(useSnackbar.getState().severity).toBe('error'));
  });
});
