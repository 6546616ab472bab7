import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { toReceipt } from '@/lib/receipts';
import { useSnackbar } from '@/stores/snackbar';
import {
  aGospelPlan,
  aPlan,
  aPreview,
  CHANGING,
  ENDING,
  someManagePlans,
  YEARLY,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import SummaryPage from './SummaryPage';

function hold(plans: Plan[]) {
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(someManagePlans({ existingPlans: plans })),
    ),
  );
}

function show(plans: Plan[], at = '/summary', state: unknown = null) {
  hold(plans);
  return renderScreen(<SummaryPage />, { at, route: '/summary', state });
}

const table = () => screen.findByRole('table', { name: 'Your Subscriptions' });
const next = async () => within(await screen.findByRole('list', { name: 'What comes next' }));

describe('the summary', () => {
  it('says what was done, what one has and what comes next', async () => {
    const said = ['Faith & Family is now billed annually.', '$66.79 was charged today.'];
    const plans = [aPlan(YEARLY)];
    show(plans, '/summary?action=upgrade', toReceipt(said, plans));
    expect(await screen.findByRole('status')).toHaveTextContent(said.join(''));
    expect(await table()).toHaveTextContent('Faith & Family$69.99per year');
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeDisabled();
    expect((await next()).getByRole('listitem')).toHaveTextContent(
      'Faith & Family: Next billDecember 10, 2026',
    );
  });

  it('no longer says what was done once it has been taken back', async () => {
    const state = toReceipt(['Faith & Family will be billed monthly.'], [aPlan(CHANGING)]);
    show([aPlan(YEARLY)], '/summary?action=downgrade', state);
    await table();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('no longer says the next day what was charged', async () => {
    const plans = [aPlan(YEARLY)];
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') });
    const state = toReceipt(['$66.79 was charged today.'], plans);
    vi.setSystemTime(new Date('2026-11-21T12:00:00Z'));
    show(plans, '/summary?action=upgrade', state);
    expect(await screen.findByRole('status')).toHaveTextContent(/^Your upgrade is done/);
    vi.useRealTimers();
  });

  it.each([
    ['upgrade', YEARLY, 'Your upgrade is done. You are billed annually.'],
    [
      'downgrade_with_trial',
      { status: 'IN_TRIAL' },
      'Your downgrade is done. You are billed monthly once your trial is over.',
    ],
    ['REMOVE_SERVICE', {}, 'Your changes are saved.'],
    ['ADJUST_SUBSCRIPTION', {}, 'Your changes are saved.'],
    ['coupon', { hasUpcomingCoupon: true }, 'Your code has been applied.'],
  ] as const)('knows %s by its address alone', async (action, differing, words) => {
    show([aPlan(differing)], `/summary?action=${action}`);
    expect(await screen.findByRole('status')).toHaveTextContent(words);
  });

  it.each([
    '/summary',
    '/summary?action=constructor',
    '/summary?action=upgrade',
    '/summary?action=downgrade',
  ])('claims nothing at %s', async (at) => {
    show([aPlan()], at, { said: 'no list' });
    await table();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('previews a downgrade, with its date and its undo', async () => {
    const preview = aPreview({ isImmediate: false, effectiveAt: '2026-12-10T15:00:00Z' });
    server.use(
      http.get('*/api/account/downgrade/estimate', () => HttpResponse.json(preview)),
      http.post('*/api/account/subscription/remove-scheduled-change', () => {
        hold([aPlan(YEARLY)]);
        return HttpResponse.json({ plans: [aPlan(YEARLY)] });
      }),
    );
    const { user } = show([aPlan(CHANGING)], '/summary?action=downgrade');
    expect(await table()).toHaveTextContent('Total Monthly Costs and applicable taxes$6.99');
    expect(screen.getByText('from December 10, 2026 on')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Undo change of Faith & Family' }));
    await expect
      .poll(() => useSnackbar.getState().content)
      .toBe('Faith & Family stays as it is. The scheduled change has been removed.');
    await waitFor(() => expect(screen.queryByText(/from December 10/)).not.toBeInTheDocument());
  });

  it('shows what one has where only a part was downgraded', async () => {
    show([aPlan(CHANGING), aGospelPlan(YEARLY)], '/summary?action=downgrade');
    expect(await table()).toHaveTextContent(
      'Faith & Family changes to $6.99 / month on December 10, 2026.',
    );
  });

  it('lets one keep what ends, and says what failed', async () => {
    const asked: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-cancellation', async ({ request }) => {
        asked.push(await request.json());
        return refusal(409, 'invalid_state', 'It has ended.');
      }),
    );
    const { user } = show([aPlan(), aGospelPlan(ENDING)]);
    await user.click(
      (await next()).getByRole('button', { name: 'Keep my subscription to Gospel TV' }),
    );
    await expect.poll(() => useSnackbar.getState().content).toBe('It has ended.');
    expect(asked).toEqual([{ subscriptionId: ['sub_gospel'] }]);
  });
});
