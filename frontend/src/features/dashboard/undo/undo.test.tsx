import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { Link } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReceiptState } from '@/domain/changes/receipts';
import DashboardPage from '@/features/dashboard/DashboardPage';
import {
  findCard,
  renderDashboard,
  serveDashboard,
  served,
} from '@/features/dashboard/dashboardWorld';
import { useSnackbar } from '@/stores/snackbar';
import {
  CHANGING,
  ENDING,
  makeAccount,
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makePaymentFailure,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';

beforeEach(serveDashboard);

describe('canceling a scheduled pause', () => {
  // shows: dashboard-5
  it('restores the subscription, reports it and keeps the focus', async () => {
    served.plans = [makePlan(PAUSE_SCHEDULED)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-pause', async ({ request }) => {
        requests.push(await request.json());
        served.plans = [makePlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user } = renderDashboard();
    expect(await findCard('Faith & Family')).toHaveTextContent('Pause startsDecember 10, 2026');
    await user.click(screen.getByRole('button', { name: 'Undo pause of Faith & Family' }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /Undo pause/ })).not.toBeInTheDocument(),
    );
    expect(requests).toEqual([{ subscriptionId: ['sub_faith'] }]);
    const removed = await screen.findByText('Scheduled Pause has been removed successfully.');
    expect(removed.closest('[role="status"]')).toHaveTextContent(
      'Faith & Family continues. You weren’t charged today.',
    );
    expect(screen.getByRole('heading', { name: 'Faith & Family' })).toHaveFocus();
  });
});

describe('undoing what is scheduled', () => {
  it('is possible for a change at the end of a trial', async () => {
    served.plans = [makePlan({ ...CHANGING, status: 'IN_TRIAL' })];
    renderDashboard();
    const card = await findCard('Faith & Family');
    expect(
      within(card).getByRole('button', { name: 'Undo change of Faith & Family' }),
    ).toBeVisible();
  });

  it('keeps the focus also where a payment is overdue', async () => {
    served.plans = [makePlan(ENDING)];
    server.use(
      http.get('*/api/account/check-payment-failure', () =>
        HttpResponse.json(makePaymentFailure({ failedPayments: [makeFailedPayment()] })),
      ),
      http.post('*/api/account/subscription/remove-scheduled-cancellation', () => {
        served.plans = [makePlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user } = renderDashboard();
    const card = await findCard('Faith & Family');
    expect(await within(card).findByText('Payment overdue')).toBeVisible();
    expect(card).toHaveTextContent('It won’t renew.');
    expect(card).not.toHaveTextContent('No more charges');
    await user.click(within(card).getByRole('button', { name: /^Keep my subscription/ }));
    await screen.findByText(/^Your cancellation was undone/);
    expect(screen.getByRole('heading', { name: 'Faith & Family' })).toHaveFocus();
  });

  it.each([
    {
      what: 'a change',
      scheduled: CHANGING,
      button: 'Undo change of Faith & Family',
      path: 'remove-scheduled-change',
      shown: 'Then $6.99 / month',
      said: 'The change was undone. Faith & Family stays as it is.',
    },
    {
      what: 'a cancellation',
      scheduled: ENDING,
      button: 'Keep my subscription to Faith & Family',
      path: 'remove-scheduled-cancellation',
      shown: 'Access endsDecember 4, 2026',
      said: 'Your cancellation was undone. Faith & Family will renew as usual.',
    },
  ])('undoes $what, reports it and keeps the focus', async (given) => {
    served.plans = [makePlan(given.scheduled)];
    const requests: unknown[] = [];
    server.use(
      http.post(`*/api/account/subscription/${given.path}`, async ({ request }) => {
        requests.push(await request.json());
        served.plans = [makePlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user } = renderDashboard();
    expect(await findCard('Faith & Family')).toHaveTextContent(given.shown);
    await user.dblClick(screen.getByRole('button', { name: given.button }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: given.button })).not.toBeInTheDocument(),
    );
    expect(requests).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(await screen.findByText(given.said)).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Faith & Family' })).toHaveFocus();
  });

  it('shows no bill or cost from before the change', async () => {
    served.plans = [makePlan(CHANGING)];
    const { user } = renderDashboard();
    const findBill = () => screen.findByRole('region', { name: 'Your next bill' });
    const findCosts = () => screen.findByRole('region', { name: 'Your costs' });
    expect(await findBill()).toHaveTextContent('$6.99');
    expect(await findCosts()).toHaveTextContent('applicable taxes$6.99');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const costs = { total: 799, nextBills: [makeNextBill({ amount: 799 })] };
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-change', () =>
        HttpResponse.json({ plans: [makePlan()] }),
      ),
      http.get('*/api/account', async () => {
        await answered;
        return HttpResponse.json(makeAccount({ plans: [makePlan()], ...costs }));
      }),
      http.get('*/api/account/manage-plans', async () => {
        await answered;
        return HttpResponse.json(makeManagePlans({ existingPlans: [makePlan()], ...costs }));
      }),
    );
    await user.click(screen.getByRole('button', { name: 'Undo change of Faith & Family' }));
    expect(await screen.findByText(/^The change was undone/)).toBeVisible();
    expect(await findBill()).not.toHaveTextContent('$');
    expect(await findCosts()).not.toHaveTextContent('$');
    answer();
    await waitFor(async () => expect(await findBill()).toHaveTextContent('$7.99'));
    expect(await findCosts()).toHaveTextContent('applicable taxes$7.99');
  });

  it('undoes at once what one press has scheduled', async () => {
    served.plans = [makePlan(ENDING), makeGospelPlan(ENDING), makeKidsPlan(ENDING)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-cancellation', async ({ request }) => {
        requests.push(await request.json());
        served.plans = [makePlan(), makeGospelPlan(), makeKidsPlan(ENDING)];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const state = createReceiptState(['Both end.'], served.plans, ['sub_faith', 'sub_gospel']);
    const { user } = renderDashboard({ state });
    await user.click(await screen.findByRole('button', { name: 'Undo all' }));
    expect(
      await screen.findByText(
        'Your cancellation was undone. Faith & Family and Gospel TV will renew as usual.',
      ),
    ).toBeVisible();
    expect(requests).toEqual([{ subscriptionId: ['sub_faith', 'sub_gospel'] }]);
    expect(screen.queryByRole('button', { name: 'Undo all' })).toBeNull();
    // What was done is said below the heading, far above the cards on a phone.
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('says what a kept subscription has scheduled again', async () => {
    served.plans = [makePlan(ENDING), makeGospelPlan(ENDING), makeKidsPlan(ENDING)];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-cancellation', () => {
        served.plans = [makePlan(PAUSE_SCHEDULED), makeGospelPlan(CHANGING), makeKidsPlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const subIds = ['sub_faith', 'sub_gospel', 'sub_kids'];
    const state = createReceiptState(['All end.'], served.plans, subIds);
    const { user } = renderDashboard({ state });
    await user.click(await screen.findByRole('button', { name: 'Undo all' }));
    expect(
      await screen.findByText(
        'Your cancellation was undone. Kids will renew as usual. Your pause of Faith & Family is scheduled again. Your plan change for Gospel TV is scheduled again.',
      ),
    ).toBeVisible();
  });

  it('offers no way to undo all after a press for one', async () => {
    served.plans = [makePlan(ENDING), makeGospelPlan(ENDING)];
    renderDashboard({ state: createReceiptState(['It ends.'], served.plans, ['sub_faith']) });
    expect(await screen.findByText('It ends.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Undo all' })).toBeNull();
  });
});

describe('a link that undoes something', () => {
  const CANCELLATION = '*/api/account/subscription/remove-scheduled-cancellation';
  const openFromLink = (subId: string) =>
    renderScreen(<DashboardPage />, { at: `/dashboard?undo=${subId}`, route: '/dashboard' });

  it.each([
    ['Keep Faith & Family?', ENDING, 'is set to end on December 4, 2026.'],
    ['Undo the pause of Faith & Family?', PAUSE_SCHEDULED, 'is set to pause on December 10'],
    ['Undo the change to Faith & Family?', CHANGING, 'is set to change to $6.99 / month on'],
  ])('asks for confirmation: %s', async (title, scheduled, message) => {
    served.plans = [makePlan(scheduled), makeGospelPlan()];
    const { user } = openFromLink('sub_faith');
    const dialog = await screen.findByRole('dialog', { name: title });
    expect(dialog).toHaveTextContent(message);
    await user.click(within(dialog).getByRole('button', { name: 'Not now' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  // shows: dashboard-5, api-27
  it('undoes it after confirmation, and shows the price', async () => {
    served.plans = [makePlan(ENDING)];
    const requests: unknown[] = [];
    server.use(
      http.post(CANCELLATION, async ({ request }) => {
        requests.push(await request.json());
        served.plans = [makePlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user } = openFromLink('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(await screen.findByText(/^It renews/)).toHaveTextContent(
      'It renews on December 10, 2026.',
    );
  });

  it('says that nothing is left to undo when it is followed again', async () => {
    served.plans = [makePlan(ENDING)];
    server.use(
      http.post(CANCELLATION, () => {
        served.plans = [makePlan()];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user } = renderScreen(
      <>
        <Link to="/dashboard?undo=sub_faith">Keep it</Link>
        <DashboardPage />
      </>,
      { at: '/dashboard' },
    );
    await findCard('Faith & Family');
    await user.click(screen.getByRole('link', { name: 'Keep it' }));
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await user.click(screen.getByRole('link', { name: 'Keep it' }));
    expect(await screen.findByRole('dialog', { name: 'Nothing to undo' })).toBeVisible();
  });

  it('stays open and shows a failure', async () => {
    served.plans = [makePlan(ENDING)];
    server.use(http.post(CANCELLATION, () => errorResponse(409, 'invalid_state', 'It has ended.')));
    const { user } = openFromLink('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByRole('alert')).toHaveTextContent('It has ended.');
    expect(useSnackbar.getState().visible).toBe(false);
  });

  it.each([
    ['sub_faith', 'Faith & Family continues. Nothing is scheduled for it.'],
    ['sub_gospel', 'Gospel TV is paused. You can resume it from your account.'],
    ['sub_elsewhere', 'You’re signed in as ava@example.com.'],
  ])('says when nothing is left to undo: %s', async (subId, message) => {
    served.plans = [makePlan(), makeGospelPlan(PAUSED)];
    const { user } = openFromLink(subId);
    const dialog = await screen.findByRole('dialog', {
      name: 'Nothing to undo',
    });
    expect(dialog).toHaveTextContent(message);
    await user.click(within(dialog).getByRole('button', { name: 'Go to your account' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it.each([
    ['is sold', 699, true],
    ['is no longer sold', null, false],
  ])('leads to a new start only if the ended plan %s', async (_what, amountToday, isLed) => {
    served.plans = [makePlan({ status: 'CANCELLED', amountToday })];
    openFromLink('sub_faith');
    const dialog = await screen.findByRole('dialog', { name: 'Nothing to undo' });
    expect(dialog).toHaveTextContent('Faith & Family has ended.');
    expect(/start it again/.test(dialog.textContent ?? '')).toBe(isLed);
  });
});
