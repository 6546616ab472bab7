import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReceiptState } from '@/domain/changes/receipts';
import { ENDING, makeKidsPlan, makeOfferedPlan, makePlan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import DashboardPage from './DashboardPage';
import { findCard, serveDashboard, served } from './dashboardWorld';

beforeEach(serveDashboard);

describe('the receipt', () => {
  const openWithReceipt = () =>
    renderScreen(<DashboardPage />, {
      at: '/dashboard',
      state: createReceiptState(['You can watch it until December 4, 2026.'], [makePlan(ENDING)]),
    });
  const receipt = () => screen.queryByText(/^You can watch it until/);

  it('stays until it is dismissed', async () => {
    served.plans = [makePlan(ENDING)];
    const { user } = openWithReceipt();
    await findCard('Faith & Family');
    expect(receipt()).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    await waitFor(() => expect(receipt()).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('stays while the billing period of what can be started is chosen', async () => {
    const ended = makeKidsPlan({ status: 'CANCELLED' });
    served.plans = [ended];
    served.costs = {
      existingPlans: [],
      plans: [makeOfferedPlan({ id: 'gospel-tv-plan', name: 'Gospel TV', service: 'gospel-TV' })],
    };
    const { user } = renderScreen(<DashboardPage />, {
      at: '/dashboard',
      state: createReceiptState(['Kids has ended today.'], [ended]),
    });
    const annually = await screen.findByRole('radio', { name: /^Annually/ });
    await user.click(annually);
    await waitFor(() => expect(annually).toBeChecked());
    expect(screen.getByText('Kids has ended today.')).toBeVisible();
  });

  it('is hidden once it is out of date', async () => {
    openWithReceipt();
    await findCard('Faith & Family');
    expect(receipt()).not.toBeInTheDocument();
  });
});
