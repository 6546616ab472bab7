import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { createReceiptState } from '@/domain/changes/receipts';
import type { Plan } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import {
  CHANGING,
  ENDING,
  MONTHLY_DOLLARS,
  makeFailedPayment,
  makeGospelPlan,
  makeManagePlans,
  makePaymentFailure,
  makePeriodEstimate,
  makePlan,
  YEARLY,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import SummaryPage from './SummaryPage';

function answerPlans(plans: Plan[]) {
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: plans })),
    ),
  );
}

function renderPage(plans: Plan[], at = '/summary', state: unknown = null) {
  answerPlans(plans);
  return renderScreen(<SummaryPage />, { at, route: '/summary', state });
}

const findTable = () => screen.findByRole('table', { name: 'Your Subscriptions' });
const findNextSteps = async () => within(await screen.findByRole('list', { name: 'Coming up' }));

describe('the summary', () => {
  // shows: period-8, summary-1
  it('shows what was done, the plans and what comes next', async () => {
    const sentences = ['Faith & Family is now billed annually.', '$66.79 was charged today.'];
    const plans = [makePlan(YEARLY)];
    renderPage(plans, '/summary?action=upgrade', createReceiptState(sentences, plans));
    expect(await screen.findByRole('status')).toHaveTextContent(sentences.join(''));
    expect(await findTable()).toHaveTextContent('Faith & Family$69.99per year');
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeDisabled();
    expect((await findNextSteps()).getByRole('listitem')).toHaveTextContent(
      'Faith & Family: Next billDecember 10, 2026',
    );
  });

  it('does not deny further charges of a plan that ends with an overdue bill', async () => {
    const failure = makePaymentFailure({ failedPayments: [makeFailedPayment()] });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderPage([makePlan(ENDING), makeGospelPlan(ENDING)]);
    const [faith, gospel] = (await findNextSteps()).getAllByRole('listitem');
    await waitFor(() => expect(faith).not.toHaveTextContent('No more charges.'));
    expect(faith).toHaveTextContent('It won’t renew.');
    expect(gospel).toHaveTextContent('It won’t renew. No more charges.');
  });

  it('does not deny an overdue bill where no other one comes', async () => {
    const failure = makePaymentFailure({ failedPayments: [makeFailedPayment()] });
    const costs = makeManagePlans({ existingPlans: [makePlan(ENDING)], nextBills: [] });
    server.use(
      http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)),
      http.get('*/api/account/manage-plans', () => HttpResponse.json(costs)),
    );
    renderScreen(<SummaryPage />, { at: '/summary' });
    await waitFor(async () =>
      expect(await findTable()).toHaveTextContent(
        'You won’t be billed again, except for the $6.99 you still owe.',
      ),
    );
  });

  it('hides the receipt once the change has been undone', async () => {
    const state = createReceiptState(
      ['Faith & Family switches to monthly billing.'],
      [makePlan(CHANGING)],
    );
    renderPage([makePlan(YEARLY)], '/summary?action=downgrade', state);
    await findTable();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('hides the receipt on the next day', async () => {
    const plans = [makePlan(YEARLY)];
    const state = createReceiptState(['$66.79 was charged today.'], plans);
    vi.setSystemTime(new Date('2026-11-21T12:00:00Z'));
    renderPage(plans, '/summary?action=upgrade', state);
    expect(await screen.findByRole('status')).toHaveTextContent(/^You’re now billed annually/);
  });

  const DONE = [
    ['upgrade', YEARLY, 'You’re now billed annually.'],
    [
      'downgrade_with_trial',
      { status: 'IN_TRIAL' },
      'Your downgrade is done. You’ll be billed monthly after your trial.',
    ],
    ['REMOVE_SERVICE', {}, 'Your changes are saved.'],
    ['ADJUST_SUBSCRIPTION', {}, 'Your changes are saved.'],
    ['coupon', { hasUpcomingCoupon: true }, 'Your code was applied.'],
  ] as const;
  /** The receipt of a change that was made before the plans changed again. */
  const OUTDATED = createReceiptState(['It was done.'], [makePlan(ENDING)]);

  // shows: summary-2
  it.each(DONE)(
    'describes %s if its receipt is out of date',
    async (action, overrides, message) => {
      renderPage([makePlan(overrides)], `/summary?action=${action}`, OUTDATED);
      expect(await screen.findByRole('status')).toHaveTextContent(message);
    },
  );

  // shows: summary-1
  it.each(DONE)('claims nothing for %s without a receipt', async (action, overrides) => {
    renderPage([makePlan(overrides)], `/summary?action=${action}`);
    await findTable();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it.each([
    '/summary',
    '/summary?action=constructor',
    '/summary?action=upgrade',
    '/summary?action=downgrade',
  ])('claims nothing for %s if the plans do not show it', async (at) => {
    renderPage([makePlan()], at, OUTDATED);
    await findTable();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('claims nothing for the receipt of another account, to which going back can lead', async () => {
    const state = createReceiptState(
      ['$66.79 was charged today.'],
      [makePlan({ ...YEARLY, subId: 'sub_of_another' })],
    );
    renderPage([makePlan(YEARLY)], '/summary?action=upgrade', state);
    await findTable();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  it('does not deny the change if its plans cannot be read', async () => {
    const state = createReceiptState(['$66.79 was charged today.'], [makePlan(YEARLY)]);
    renderPage([], '/summary?action=upgrade', state);
    server.use(
      http.get('*/api/account/manage-plans', () => errorResponse(503, 'unavailable', 'Busy.')),
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('Busy.');
    expect(screen.queryByText(/haven’t changed/)).not.toBeInTheDocument();
  });

  it('ignores a navigation state without a receipt', async () => {
    renderPage([makePlan(YEARLY)], '/summary?action=upgrade', { receipt: 'no list' });
    await findTable();
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });

  // shows: api-28
  it('previews a downgrade, with its date and an undo button', async () => {
    const preview = makePeriodEstimate({ isImmediate: false, effectiveAt: '2026-12-10T15:00:00Z' });
    server.use(
      http.get('*/api/account/downgrade/estimate', () => HttpResponse.json(preview)),
      http.post('*/api/account/subscription/remove-scheduled-change', () => {
        answerPlans([makePlan(YEARLY)]);
        return HttpResponse.json({ plans: [makePlan(YEARLY)] });
      }),
    );
    const { user } = renderPage([makePlan(CHANGING)], '/summary?action=downgrade');
    expect(await findTable()).toHaveTextContent('Total Monthly Costs and applicable taxes$6.99');
    expect(screen.getByText('Starting December 10, 2026')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Undo change of Faith & Family' }));
    expect(
      await screen.findByText('The change was undone. Faith & Family stays as it is.'),
    ).toBeVisible();
    await waitFor(() => expect(screen.queryByText(/from December 10/)).not.toBeInTheDocument());
  });

  it('dates the plans after a downgrade by the last one that changes', async () => {
    const later = {
      ...CHANGING,
      scheduledPlan: { ...MONTHLY_DOLLARS, amount: 799, at: '2027-03-02T15:00:00Z' },
    };
    const plans = [makePlan(CHANGING), makeGospelPlan(later)];
    server.use(
      http.get('*/api/account/downgrade/estimate', () =>
        HttpResponse.json(
          makePeriodEstimate({
            isImmediate: false,
            effectiveAt: '2026-12-10T15:00:00Z',
            existingPlans: plans,
          }),
        ),
      ),
    );
    renderPage(plans, '/summary?action=downgrade');
    expect(await screen.findByText('Starting March 2, 2027')).toBeInTheDocument();
    expect(await findTable()).toHaveTextContent(
      'Faith & Family changes to $6.99 / month on December 10, 2026.',
    );
  });

  it('shows the current plans after a partial downgrade', async () => {
    renderPage([makePlan(CHANGING), makeGospelPlan(YEARLY)], '/summary?action=downgrade');
    expect(await findTable()).toHaveTextContent(
      'Faith & Family changes to $6.99 / month on December 10, 2026.',
    );
  });

  it('offers to keep an ending plan, and shows a failure', async () => {
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-cancellation', async ({ request }) => {
        requests.push(await request.json());
        return errorResponse(409, 'invalid_state', 'It has ended.');
      }),
    );
    const { user } = renderPage([makePlan(), makeGospelPlan(ENDING)]);
    await user.click(
      (await findNextSteps()).getByRole('button', { name: 'Keep my subscription to Gospel TV' }),
    );
    await expect.poll(() => useSnackbar.getState().content).toBe('It has ended.');
    expect(requests).toEqual([{ subscriptionId: ['sub_gospel'] }]);
  });
});
