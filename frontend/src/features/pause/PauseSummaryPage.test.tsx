import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import { createReceiptState } from '@/domain/changes/receipts';
import type { ManagePlans } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import {
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makePaymentFailure,
  makePlan,
  PAUSE_SCHEDULED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import PauseSummaryPage from './PauseSummaryPage';

const REMOVE = '*/api/account/subscription/remove-scheduled-pause';

function renderPage(costs: Partial<ManagePlans> = {}, state: unknown = null) {
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(
        makeManagePlans({ existingPlans: [makePlan(PAUSE_SCHEDULED), makeGospelPlan()], ...costs }),
      ),
    ),
  );
  return renderScreen(<PauseSummaryPage />, { at: '/pause-summary', state });
}

describe('the summary after pausing', () => {
  // shows: paused-2
  it('says when the pause takes effect and how to cancel it, until dismissed', async () => {
    const paused = createReceiptState(['You weren’t charged today.'], [makePlan(PAUSE_SCHEDULED)]);
    const { user } = renderPage({}, paused);
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent(
      'Your pause takes effect at the end of your billing cycle on December 10, 2026.',
    );
    expect(notice).toHaveTextContent(
      'You weren’t charged today. You won’t be charged while it’s paused.',
    );
    expect(notice).toHaveTextContent('You can cancel the scheduled pause anytime before then');
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Your Subscriptions' })).toHaveFocus();
  });

  it('does not say what today cost if opened by hand', async () => {
    renderPage();
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('You won’t be charged while it’s paused.');
    expect(notice).not.toHaveTextContent('today');
  });

  it('does not say that nothing is charged while a bill is overdue', async () => {
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment()],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderPage();
    const sentence = 'You won’t be charged while it’s paused, except for the $6.99 you still owe.';
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent(sentence));
  });

  it('shows each date if they differ', async () => {
    const later = { ...PAUSE_SCHEDULED, pauseDate: '2026-12-20T15:00:00Z' };
    renderPage({ existingPlans: [makePlan(PAUSE_SCHEDULED), makeGospelPlan(later)] });
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('Your pause of Faith & Family takes effect');
    expect(notice).toHaveTextContent(
      'You won’t be charged while they’re paused. Billing restarts when they resume.',
    );
    expect(notice).toHaveTextContent('December 20, 2026');
  });

  // shows: shell-2, subscriptions-1, paused-1, paused-3, paused-4
  it('lists the plans with notes, discounts and the total', async () => {
    renderPage({ couponDiscount: 500, bundleSavings: 150, total: 848 });
    expect(screen.getByRole('heading', { level: 1, name: 'Manage Subscriptions' })).toBeVisible();
    const table = await screen.findByRole('table', { name: 'Your Subscriptions' });
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      'Faith & Family$6.99per month',
      'Your pause takes effect on December 10, 2026. It resumes automatically on January 9, 2027.' +
        'Cancel Pause of Faith & Family',
      'Gospel TV$7.99per month',
      'Coupon Code-$5.00',
      'Bundle Savings-$1.50',
      'Total Monthly Costs and applicable taxes$8.48',
    ]);
  });

  // shows: paused-7
  it('says that nothing is paused, and leads to the pause', async () => {
    renderPage({ existingPlans: [makePlan(), makeKidsPlan({ status: 'CANCELLED' })] });
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('Nothing is paused, and no pause is scheduled.');
    expect(within(notice).getByRole('link', { name: 'Pause for 30 days' })).toHaveAttribute(
      'href',
      '/pause-offer',
    );
    expect(screen.queryByRole('button', { name: /Cancel Pause/ })).not.toBeInTheDocument();
    expect(screen.queryByText('Kids')).not.toBeInTheDocument();
  });

  it('offers no pause where none can be paused', async () => {
    renderPage({ existingPlans: [makePlan({ status: 'NON_RENEWING' })] });
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('Nothing is paused, and no pause is scheduled.');
    expect(screen.queryByRole('link', { name: 'Pause for 30 days' })).not.toBeInTheDocument();
  });

  it('leaves a paused plan to its row', async () => {
    renderPage({ existingPlans: [makePlan({ status: 'PAUSED' })] });
    expect(await screen.findByText('Your subscription is paused.')).toBeVisible();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('shows an empty state without plans', async () => {
    renderPage({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
  });

  // shows: subscriptions-6
  it('links to streaming in a new tab', async () => {
    renderPage();
    const start = await screen.findByRole('link', { name: /Start streaming Gospel TV/ });
    expect(start).toHaveAttribute('target', '_blank');
    expect(start).toHaveAttribute('rel', expect.stringContaining('noopener'));
  });
});

describe('canceling the pause', () => {
  it('removes all pauses at once', async () => {
    const requests: unknown[] = [];
    server.use(
      http.post(REMOVE, async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans: [makePlan(), makeGospelPlan()] });
      }),
    );
    const both = [makePlan(PAUSE_SCHEDULED), makeGospelPlan(PAUSE_SCHEDULED)];
    const { user } = renderPage({ existingPlans: both });
    await user.dblClick(await screen.findByRole('button', { name: 'Undo all' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(requests).toEqual([{ subscriptionId: ['sub_faith', 'sub_gospel'] }]);
    expect(screen.getByTestId('receipt')).toHaveTextContent(
      'Scheduled Pause has been removed successfully. Faith & Family and Gospel TV continue. ' +
        'You weren’t charged today. Faith & Family and Gospel TV renew on December 10, 2026.',
    );
  });

  // shows: paused-5, api-22
  it('removes it once, reports it and goes to the dashboard', async () => {
    const requests: unknown[] = [];
    server.use(
      http.post(REMOVE, async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans: [makePlan(), makeGospelPlan()] });
      }),
    );
    const { user } = renderPage();
    await user.dblClick(
      await screen.findByRole('button', { name: 'Cancel Pause of Faith & Family' }),
    );
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(requests).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(screen.getByTestId('receipt')).toHaveTextContent(
      /^Scheduled Pause has been removed successfully\. Faith & Family continues\./,
    );
  });

  it('does not lose the focus if it was made although the answer was lost', async () => {
    const { user } = renderPage({ existingPlans: [makePlan(PAUSE_SCHEDULED)] });
    const costs = makeManagePlans({ existingPlans: [makePlan()] });
    server.use(
      http.post(REMOVE, () => {
        server.use(http.get('*/api/account/manage-plans', () => HttpResponse.json(costs)));
        return HttpResponse.error();
      }),
    );
    await user.click(await screen.findByRole('button', { name: /^Cancel Pause/ }));
    expect(await screen.findByText('Nothing is paused, and no pause is scheduled.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Your Subscriptions' })).toHaveFocus();
  });

  // shows: paused-6
  it('stays on the screen and shows a failure', async () => {
    server.use(
      http.post(REMOVE, () => errorResponse(409, 'invalid_state', 'There is no such pause.')),
    );
    const { user } = renderPage();
    await user.click(await screen.findByRole('button', { name: 'Cancel Pause of Faith & Family' }));
    await expect
      .poll(() => useSnackbar.getState())
      .toMatchObject({ severity: 'error', content: 'There is no such pause.' });
    expect(screen.queryByTestId('elsewhere')).not.toBeInTheDocument();
  });
});
