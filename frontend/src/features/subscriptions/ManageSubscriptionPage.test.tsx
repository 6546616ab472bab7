import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import type { ManagePlans } from '@/lib/api/types';
import { useLoader } from '@/stores/loader';
import { aGospelPlan, aKidsPlan, aPlan, PAUSED, someManagePlans } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import ManageSubscriptionPage from './ManageSubscriptionPage';

const PLANS = '*/api/account/manage-plans';

function show(costs: Partial<ManagePlans>) {
  server.use(http.get(PLANS, () => HttpResponse.json(someManagePlans(costs))));
  return renderScreen(<ManageSubscriptionPage />, { at: '/manage-subscription' });
}

const table = () => screen.findByRole('table', { name: 'Your Subscriptions' });

describe('the read-only view of the subscriptions', () => {
  it('lists what is held with its amount, what comes off and the total', async () => {
    show({
      existingPlans: [aPlan(), aGospelPlan()],
      bundleSavings: 150,
      couponDiscount: 500,
      total: 848,
    });
    const rows = within(await table()).getAllByRole('row');
    expect(rows.slice(1).map((row) => row.textContent)).toEqual([
      'Faith & Family$6.99per month',
      'Gospel TV$7.99per month',
      'Coupon Discount-$5.00',
      'Bundle Savings-$1.50',
      'Total Monthly Costs and applicable taxes$8.48',
    ]);
  });

  it('leaves cancelled plans out', async () => {
    show({ existingPlans: [aPlan(), aKidsPlan({ status: 'CANCELLED' })] });
    expect(within(await table()).queryByText('Kids')).not.toBeInTheDocument();
  });

  it('checks what goes on and unchecks what does not renew, with the date its access ends', async () => {
    show({
      existingPlans: [
        aPlan(),
        aKidsPlan({ status: 'NON_RENEWING', cancelAt: '2026-12-04T15:00:00Z' }),
      ],
    });
    expect(await screen.findByRole('checkbox', { name: 'Faith & Family' })).toBeChecked();
    expect(screen.getByRole('checkbox', { name: 'Kids' })).not.toBeChecked();
    expect(
      screen.getByText(
        'Your access to Kids will end at the end of your billing cycle, December 4, 2026.',
      ),
    ).toBeInTheDocument();
  });

  it('offers to stream what can be watched, beside the portal', async () => {
    show({ existingPlans: [aPlan(), aGospelPlan(PAUSED)] });
    const start = await screen.findByRole('link', { name: /Start streaming Faith & Family/ });
    expect(start).toHaveAttribute('href', 'https://faith-family.example.com/');
    expect(start).toHaveAttribute('target', '_blank');
    expect(start).toHaveAttribute('rel', expect.stringContaining('noopener'));
    expect(screen.queryByRole('link', { name: /Gospel TV/ })).not.toBeInTheDocument();
  });

  it('leads back to the account', async () => {
    const { user } = show({});
    await user.click(screen.getByRole('link', { name: 'Manage Your Account' }));
    expect(screen.getByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  it('says so where nothing is held', async () => {
    show({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });

  it('loads under the overlay, says what failed, and tries again', async () => {
    server.use(
      http.get(PLANS, () => refusal(500, 'internal_error', 'Something broke.'), { once: true }),
      http.get(PLANS, () => HttpResponse.json(someManagePlans())),
    );
    const { user } = renderScreen(<ManageSubscriptionPage />, { at: '/manage-subscription' });
    expect(useLoader.getState().pending).toBe(1);
    expect(await screen.findByRole('alert')).toHaveTextContent('Something broke.');
    expect(useLoader.getState().pending).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await table()).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Manage Subscriptions' })).toHaveFocus();
  });
});
