import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import type { ManagePlans } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { aGospelPlan, aKidsPlan, aPlan, PAUSE_SCHEDULED, someManagePlans } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import PauseSummaryPage from './PauseSummaryPage';

const REMOVE = '*/api/account/subscription/remove-scheduled-pause';

function show(costs: Partial<ManagePlans> = {}) {
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(
        someManagePlans({ existingPlans: [aPlan(PAUSE_SCHEDULED), aGospelPlan()], ...costs }),
      ),
    ),
  );
  return renderScreen(<PauseSummaryPage />, { at: '/pause-summary' });
}

describe('the summary after pausing', () => {
  it('says when the pause takes effect and that it can be taken back, until dismissed', async () => {
    const { user } = show();
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent(
      'Your pause takes effect at the end of your billing cycle on December 10, 2026.',
    );
    expect(notice).toHaveTextContent('Nothing was charged today');
    expect(notice).toHaveTextContent('You can cancel the scheduled pause any time before then');
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Your Subscriptions' })).toHaveFocus();
  });

  it('says each date where they differ', async () => {
    const later = { ...PAUSE_SCHEDULED, pauseDate: '2026-12-20T15:00:00Z' };
    show({ existingPlans: [aPlan(PAUSE_SCHEDULED), aGospelPlan(later)] });
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('Your pause of Faith & Family takes effect');
    expect(notice).toHaveTextContent('December 20, 2026');
  });

  it('lists the plans with their notes, what comes off and the total', async () => {
    show({ couponDiscount: 500, bundleSavings: 150, total: 848 });
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

  it('has neither notice nor way back where nothing is paused', async () => {
    show({ existingPlans: [aPlan(), aKidsPlan({ status: 'CANCELLED' })] });
    await screen.findByRole('table', { name: 'Your Subscriptions' });
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Cancel Pause/ })).not.toBeInTheDocument();
    expect(screen.queryByText('Kids')).not.toBeInTheDocument();
  });

  it('says so where nothing is held', async () => {
    show({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
  });

  it('opens what can be watched in a tab of its own', async () => {
    show();
    const start = await screen.findByRole('link', { name: /Start streaming Gospel TV/ });
    expect(start).toHaveAttribute('target', '_blank');
    expect(start).toHaveAttribute('rel', expect.stringContaining('noopener'));
  });
});

describe('cancelling the pause', () => {
  it('takes it back once, says so and goes to the account', async () => {
    const asked: unknown[] = [];
    server.use(
      http.post(REMOVE, async ({ request }) => {
        asked.push(await request.json());
        return HttpResponse.json({ plans: [aPlan(), aGospelPlan()] });
      }),
    );
    const { user } = show();
    await user.dblClick(
      await screen.findByRole('button', { name: 'Cancel Pause of Faith & Family' }),
    );
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(asked).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(useSnackbar.getState()).toMatchObject({
      visible: true,
      severity: 'success',
      content: 'Scheduled Pause has been removed successfully.',
    });
  });

  it('stays and says what failed', async () => {
    server.use(http.post(REMOVE, () => refusal(409, 'invalid_state', 'There is no such pause.')));
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Cancel Pause of Faith & Family' }));
    await expect
      .poll(() => useSnackbar.getState())
      .toMatchObject({ severity: 'error', content: 'There is no such pause.' });
    expect(screen.queryByTestId('elsewhere')).not.toBeInTheDocument();
  });
});
