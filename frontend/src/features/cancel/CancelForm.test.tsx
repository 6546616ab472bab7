import { useQueryClient } from '@tanstack/react-query';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import {
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makePaymentFailure,
  makePlan,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import CancelPage from './CancelPage';
import {
  account,
  CANCEL,
  DATES,
  endPlan,
  findCancelButton,
  getCheckbox,
  recordCancellations,
  renderCancelPage,
  setUpAccount,
  TRIAL,
} from './renderCancelPage';

beforeEach(setUpAccount);

function RefetchButton() {
  const client = useQueryClient();
  return (
    <button type="button" onClick={() => void client.invalidateQueries()}>
      Refetch
    </button>
  );
}

const renderWithRefetch = () =>
  renderScreen(
    <>
      <CancelPage />
      <RefetchButton />
    </>,
    { at: '/cancelAll' },
  );

describe('canceling', () => {
  const receipt = () => screen.getByTestId('receipt');

  // shows: cancel-13, cancel-14, api-26
  it('cancels all listed plans with the answers, and shows the specified message', async () => {
    account.plans = [makePlan(), makeGospelPlan()];
    const requests = recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    await screen.findByRole('option', { name: 'Too expensive' });
    await user.selectOptions(screen.getByLabelText('Why are you leaving?'), 'Too expensive');
    await user.selectOptions(screen.getByLabelText('How often did you watch?'), 'Rarely');
    await user.dblClick(await findCancelButton());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(requests).toEqual([
      {
        body: {
          subscriptionIds: ['sub_faith', 'sub_gospel'],
          reason: 'Too expensive',
          dailyUsage: 'Rarely',
          offer: 'pause',
        },
        key: expect.stringMatching(/^\w{32}$/),
      },
    ]);
    expect(receipt()).toHaveTextContent(
      /^All your subscriptions will be cancel at the end of current term Your access to Faith/,
    );
  });

  it.each<[string, Plan[], string, string[], RegExp]>([
    [
      'only some are canceled',
      [makePlan(), makeGospelPlan()],
      '?ids=sub_gospel',
      [],
      /^Your access to Gospel TV ends on December 10, 2026\./,
    ],
    [
      'a trial ends',
      [makePlan(TRIAL)],
      '',
      [],
      /^Your access to Faith & Family ends on December 10, 2026\./,
    ],
    [
      'a paused plan ends at once',
      [makePlan(PAUSED)],
      '',
      ['Yes, end Faith & Family now'],
      /^Faith & Family has ended today\./,
    ],
  ])('says what ends when if %s', async (_case, heldPlans, query, confirmations, text) => {
    account.plans = heldPlans;
    recordCancellations(CANCEL);
    const { user } = renderCancelPage(query);
    await user.click(await findCancelButton());
    for (const name of confirmations) await user.click(screen.getByRole('button', { name }));
    await screen.findByTestId('elsewhere');
    expect(receipt().textContent).toMatch(text);
  });

  // shows: api-26
  it('cancels only checked plans, also one that ends at once', async () => {
    account.plans = [makePlan(), makeGospelPlan(PAUSED)];
    const requests = recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    await findCancelButton();
    await user.click(getCheckbox('Faith & Family'));
    await user.click(getCheckbox('Gospel TV'));
    await user.click(await findCancelButton());
    await user.click(screen.getByRole('button', { name: 'Yes, end Gospel TV now' }));
    await screen.findByTestId('elsewhere');
    expect(requests.map(({ body }) => body)).toEqual([{ subscriptionIds: ['sub_gospel'] }]);
  });

  // shows: rule-7
  it.each<[string, Partial<Plan>, string]>([
    ['sold at the same price', {}, ''],
    ['sold at a lower price', { amountToday: 599 }, ''],
    [
      'no longer sold',
      { amountToday: null },
      'WarningThis plan is no longer sold. You can’t get Faith & Family back at $6.99 / month.',
    ],
    [
      'sold at a higher price',
      { amountToday: 899 },
      'WarningYou’ll lose your price of $6.99 / month. Starting Faith & Family again costs $8.99 / month.',
    ],
  ])('asks before a paused plan that is %s ends at once', async (_case, overrides, warning) => {
    account.plans = [makePlan({ ...PAUSED, ...overrides })];
    const requests = recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    await user.click(await findCancelButton());
    const dialog = screen.getByRole('dialog', { name: 'End Faith & Family now?' });
    expect(dialog).toHaveTextContent(
      `Faith & Family is paused and ends immediately. You can’t undo this.${warning}NO, CANCEL`,
    );
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    expect(requests).toEqual([]);
    await user.click(await findCancelButton());
    await user.click(screen.getByRole('button', { name: 'Yes, end Faith & Family now' }));
    await screen.findByTestId('elsewhere');
    expect(requests).toHaveLength(1);
  });

  it('names no plan beside an empty selection, and refuses to pause nothing', async () => {
    account.plans = [makePlan(), makeGospelPlan()];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans: account.plans, ...DATES });
      }),
    );
    const { user } = renderCancelPage();
    const panel = within(await screen.findByRole('region', { name: 'Take a break' }));
    expect(await panel.findByText(/Faith & Family and Gospel TV pause/)).toBeInTheDocument();
    await user.click(getCheckbox('Faith & Family'));
    await user.click(getCheckbox('Gospel TV'));
    expect(panel.queryByText(/Faith & Family|Gospel TV/)).not.toBeInTheDocument();
    expect(panel.getByText('Select what you’d like to pause.')).toBeInTheDocument();
    await user.click(panel.getByRole('button', { name: 'Pause for a month' }));
    expect(screen.getByText('Select at least one subscription to pause.')).toBeInTheDocument();
    expect(getCheckbox('Faith & Family')).toHaveFocus();
    expect(requests).toEqual([]);
  });

  it('requires a choice if nothing is checked', async () => {
    account.plans = [makePlan(), makeGospelPlan()];
    const requests = recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    await findCancelButton();
    await user.click(getCheckbox('Faith & Family'));
    await user.click(getCheckbox('Gospel TV'));
    await user.click(await findCancelButton());
    expect(screen.getByText('Select at least one subscription to cancel.')).toBeInTheDocument();
    expect(getCheckbox('Faith & Family')).toHaveFocus();
    expect(requests).toEqual([]);
  });

  it('keeps the answers after a failure, and repeats the same intent', async () => {
    const refuseUnavailable = () =>
      errorResponse(503, 'billing_unavailable', 'Our billing service is away.');
    const requests = recordCancellations(CANCEL, refuseUnavailable);
    const { user } = renderCancelPage();
    await screen.findByRole('option', { name: 'Too expensive' });
    const reason = screen.getByLabelText('Why are you leaving?');
    await user.selectOptions(reason, 'Too expensive');
    await user.click(await findCancelButton());
    expect(await screen.findByText('Our billing service is away.')).toBeInTheDocument();
    expect(reason).toHaveValue('Too expensive');
    await user.click(await findCancelButton());
    await screen.findByTestId('elsewhere');
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  });

  // shows: error-31
  it('shows a partial cancellation, and completes it with the same ids', async () => {
    account.plans = [makePlan(), makeGospelPlan(), makeKidsPlan()];
    const refusePartly = () => {
      account.plans = [endPlan(makePlan()), makeGospelPlan(), makeKidsPlan()];
      return errorResponse(502, 'billing_partial', 'Some were not done.', {
        extra: { plans: account.plans },
      });
    };
    const requests = recordCancellations(CANCEL, refusePartly);
    const { user } = renderCancelPage('?ids=sub_faith&ids=sub_gospel');
    await user.click(await findCancelButton());
    expect(await screen.findByText('Some were not done.')).toBeInTheDocument();
    expect(screen.getByText(/Faith & Family has been canceled/)).toBeInTheDocument();
    expect(screen.getByRole('table')).not.toHaveTextContent('Faith & Family');
    await user.click(await findCancelButton());
    await screen.findByTestId('elsewhere');
    const ids = { subscriptionIds: ['sub_faith', 'sub_gospel'], offer: 'pause' };
    expect(requests.map(({ body }) => body)).toEqual([ids, ids]);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(2);
  });

  it('completes a partial cancellation with what is true of the plans that it began with', async () => {
    account.plans = [makePlan(TRIAL), makeGospelPlan()];
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment()],
    });
    const ended = { subId: 'sub_faith', name: 'Faith & Family', atOnce: false };
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    recordCancellations(
      CANCEL,
      () => {
        account.plans = [endPlan(makePlan(TRIAL)), makeGospelPlan()];
        const extra = { plans: account.plans };
        return errorResponse(502, 'billing_partial', 'Some were not done.', { extra });
      },
      () => {
        account.plans = account.plans.map(endPlan);
        const rest = { ...ended, subId: 'sub_gospel', name: 'Gospel TV' };
        const cancelled = [ended, rest].map((plan) => ({ ...plan, endsAt: DATES.pauseDate }));
        return HttpResponse.json({ plans: account.plans, cancelled });
      },
    );
    const { user } = renderCancelPage();
    await user.click(await findCancelButton());
    await screen.findByText('Some were not done.');
    await user.click(await findCancelButton());
    await screen.findByTestId('elsewhere');
    expect(receipt().textContent).toMatch(/^Your access to Faith & Family and Gospel TV ends/);
    expect(receipt()).toHaveTextContent('except for the $6.99 you still owe.');
  });

  it.each<[string, Plan, string[], string[]]>([
    ['was unchecked', makeGospelPlan(), ['Gospel TV'], []],
    ['is paused and was never checked', makeGospelPlan(PAUSED), [], ['Yes, end Gospel TV now']],
  ])(
    'never cancels the only plan left that %s',
    async (_case, gospel, unchecked, confirmations) => {
      account.plans = [makePlan(), gospel];
      const dropConnection = () => {
        account.plans = [endPlan(makePlan()), gospel];
        return HttpResponse.error();
      };
      const requests = recordCancellations(CANCEL, dropConnection);
      const { user } = renderCancelPage();
      await findCancelButton();
      for (const name of unchecked) await user.click(getCheckbox(name));
      await user.click(await findCancelButton());
      await waitFor(() => expect(screen.getAllByRole('checkbox')).toHaveLength(1));
      expect(getCheckbox('Gospel TV')).not.toBeChecked();
      await user.click(await findCancelButton());
      expect(screen.getByText('Select at least one subscription to cancel.')).toBeInTheDocument();
      expect(requests).toMatchObject([{ body: { subscriptionIds: ['sub_faith'] } }]);
      await user.click(getCheckbox('Gospel TV'));
      await user.click(await findCancelButton());
      for (const name of confirmations) await user.click(screen.getByRole('button', { name }));
      await screen.findByTestId('elsewhere');
      expect(requests[1]).toMatchObject({ body: { subscriptionIds: ['sub_gospel'] } });
    },
  );

  it('does not lose the focus if it was made although the answer was lost', async () => {
    const dropConnection = () => {
      account.plans = [endPlan(makePlan())];
      return HttpResponse.error();
    };
    recordCancellations(CANCEL, dropConnection);
    const { user } = renderCancelPage();
    await user.click(await findCancelButton());
    expect(await screen.findByText('Nothing to cancel')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Cancel Subscriptions' })).toHaveFocus();
  });

  it('cancels nothing that was resumed or started elsewhere without being checked', async () => {
    account.plans = [makePlan(), makeGospelPlan(PAUSED)];
    const requests = recordCancellations(CANCEL);
    const { user } = renderWithRefetch();
    await findCancelButton();
    account.plans = [makePlan(), makeGospelPlan(), makeKidsPlan()];
    fireEvent.click(screen.getByText('Refetch'));
    expect(await screen.findByRole('checkbox', { name: 'Kids' })).not.toBeChecked();
    expect(getCheckbox('Gospel TV')).not.toBeChecked();
    expect(getCheckbox('Faith & Family')).toBeChecked();
    await user.click(await findCancelButton());
    await screen.findByTestId('elsewhere');
    expect(requests.map(({ body }) => body)).toMatchObject([{ subscriptionIds: ['sub_faith'] }]);
  });

  it('asks about an immediate end only when the button is pressed', async () => {
    account.plans = [makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(PAUSED)];
    const { user } = renderWithRefetch();
    await findCancelButton();
    await user.click(getCheckbox('Gospel TV'));
    await user.click(await findCancelButton());
    expect(screen.getByRole('dialog', { name: 'End Gospel TV now?' })).toBeVisible();
    // It was resumed in another tab.
    account.plans = [makePlan(), makeGospelPlan(), makeKidsPlan(PAUSED)];
    fireEvent.click(screen.getByText('Refetch'));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await user.click(getCheckbox('Kids'));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('keeps a plan unchecked after an expired session', async () => {
    account.plans = [endPlan(makePlan()), makeGospelPlan()];
    const owner = 'ava@example.com';
    useAuth.getState().signIn('test-token', owner);
    useDrafts.getState().save('leaving', { owner, draft: { sub_gospel: false } });
    renderScreen(<CancelPage />, { at: '/cancelAll', signedIn: false });
    await findCancelButton();
    expect(getCheckbox('Gospel TV')).not.toBeChecked();
  });

  // shows: error-33
  it('is not shown as a failure while it is being confirmed', async () => {
    const refuseUnconfirmed = () =>
      errorResponse(503, 'billing_unconfirmed', 'We are not sure yet.', { retryAfter: 0 });
    recordCancellations(CANCEL, ...Array.from({ length: 8 }, () => refuseUnconfirmed));
    const { user } = renderCancelPage();
    await user.click(await findCancelButton());
    await vi.advanceTimersByTimeAsync(10_000);
    const said = await screen.findByText(/We’re confirming your change/);
    expect(said.closest('[role=status]')).toBeInTheDocument();
  });
});
