import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import {
  ENDING,
  makeCancelScreen,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makePlan,
  makeServicesChange,
  makeSite,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import CancelPage from './CancelPage';

const CANCEL = '*/api/account/subscriptions/cancel';
const DATES = { pauseDate: '2026-12-10T15:00:00Z', resumeDate: '2027-01-09T15:00:00Z' };
const TRIAL: Partial<Plan> = { status: 'IN_TRIAL' };

let plans: Plan[] = [];

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-20T12:00:00Z') });
  plans = [makePlan()];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: plans })),
    ),
    http.get('*/api/account/pause/estimate', () =>
      HttpResponse.json({ ...DATES, plans: plans.map(({ subId }) => ({ subId, ...DATES })) }),
    ),
    http.post('*/api/account/add-remove-service/estimate', () =>
      HttpResponse.json(makeServicesChange()),
    ),
  );
});
afterEach(() => vi.useRealTimers());

const renderPage = (query = '') =>
  renderScreen(<CancelPage />, { at: `/cancelAll${query}`, route: '/cancelAll' });
const findCancelButton = () => screen.findByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' });
const findTerms = () => screen.findByRole('list', { name: 'What happens if you cancel' });
const getCheckbox = (name: string) => screen.getByRole('checkbox', { name });
const queryPauseOffer = () =>
  screen.queryByText(
    'Stay for a little longer? Keep your account and data. You won’t get billed for a month.',
  );

interface RecordedRequest {
  body: unknown;
  key: string | null;
}

/** Answers cancellations as the server would, and records the requests. */
function recordCancellations(path: string, ...refusals: (() => Response)[]): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  server.use(
    http.post(path, async ({ request }) => {
      const body = (await request.json()) as { subscriptionIds?: string[] };
      requests.push({ body, key: request.headers.get('Idempotency-Key') });
      return (refusals.shift() ?? (() => answerCancellation(body.subscriptionIds)))();
    }),
  );
  return requests;
}

function answerCancellation(ids = plans.map(({ subId }) => subId)): Response {
  const affectedPlans = plans.filter(({ subId }) => ids.includes(subId));
  plans = plans.map((plan) => (affectedPlans.includes(plan) ? endPlan(plan) : plan));
  return HttpResponse.json({
    plans,
    cancelled: affectedPlans.map(({ subId, name, status, nextBillingAt }) => ({
      subId,
      name,
      endsAt: nextBillingAt ?? '2026-11-20T12:00:00Z',
      atOnce: status === 'PAUSED',
    })),
  });
}

function endPlan(plan: Plan): Plan {
  if (plan.status === 'PAUSED') return { ...plan, status: 'CANCELLED' };
  return { ...plan, ...ENDING, cancelAt: plan.nextBillingAt };
}

describe('the list', () => {
  // shows: cancel-1
  it('preselects active plans and trials, not paused plans, and omits ending plans', async () => {
    plans = [makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(TRIAL)];
    renderPage();
    await findCancelButton();
    expect(screen.getAllByRole('checkbox')).toHaveLength(3);
    expect(getCheckbox('Faith & Family')).toBeChecked();
    expect(getCheckbox('Gospel TV')).not.toBeChecked();
    expect(getCheckbox('Kids')).toBeChecked();
  });

  // shows: cancel-2
  it('shows only the plans in the URL', async () => {
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan(ENDING)];
    renderPage('?ids=sub_gospel&ids=sub_kids');
    await findCancelButton();
    expect(screen.getByRole('table')).toHaveTextContent('Gospel TV');
    expect(screen.getByRole('table')).not.toHaveTextContent(/Faith|Kids/);
  });

  // shows: cancel-4
  it.each([
    ['2027-02-19T12:00:00Z', 'It breaks our heart to see you go!'],
    ['2027-02-18T12:00:00Z', 'We are sad to see you go!'],
    [null, 'We are sad to see you go!'],
  ])('with a next bill on %s is headed: %s', async (nextBillingAt, text) => {
    plans = [
      makePlan({ nextBillingAt }),
      makeGospelPlan({ nextBillingAt: '2027-06-01T12:00:00Z' }),
    ];
    renderPage();
    expect(await screen.findByRole('heading', { level: 1, name: text })).toBeInTheDocument();
  });

  // shows: cancel-3
  it.each<[string, Plan[], string]>([
    ['there are no plans', [], 'You don’t have a subscription, so you won’t be billed.'],
    [
      'everything ends',
      [makePlan(ENDING)],
      'Faith & Family ends on December 4, 2026, and you won’t be billed again.',
    ],
  ])('says that nothing is left to cancel if %s', async (_case, heldPlans, text) => {
    plans = heldPlans;
    renderPage();
    expect(await screen.findByText('Nothing to cancel')).toBeInTheDocument();
    expect(screen.getByText(text, { exact: false })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /CANCEL/ })).not.toBeInTheDocument();
  });
});

describe('what happens on cancellation', () => {
  // shows: cancel-7
  it.each<[string, Partial<Plan>, string]>([
    ['is active', {}, 'Your access continues until December 10, 2026.'],
    [
      'has a scheduled pause',
      { ...PAUSE_SCHEDULED, pauseDate: '2026-12-15T15:00:00Z' },
      'Your access continues until December 15, 2026.',
    ],
    ['is in trial', TRIAL, 'Your access continues until December 10, 2026, when your trial ends.'],
  ])('is shown before the button if the plan %s', async (_case, overrides, text) => {
    plans = [makePlan(overrides)];
    renderPage();
    expect(await findTerms()).toHaveTextContent(text);
    expect(await findTerms()).toHaveTextContent('No more charges for Faith & Family.');
  });

  it('says that a plan under contract is billed until its contract ends', async () => {
    plans = [makePlan({ contractEndsAt: '2027-03-10T15:00:00Z', isChangeable: false })];
    renderPage();
    expect(await findTerms()).toHaveTextContent(
      'Your access continues until March 10, 2027, when your contract ends.',
    );
    expect(await findTerms()).toHaveTextContent(
      'You’re billed for Faith & Family until its contract ends.',
    );
    expect(await findTerms()).not.toHaveTextContent('No more charges');
  });

  it.each<[string, Partial<Plan>]>([
    ['pause', PAUSE_SCHEDULED],
    ['change', { hasScheduledChange: true }],
  ])('says before the button that a scheduled %s is set aside', async (what, overrides) => {
    plans = [makePlan(overrides), makeGospelPlan(overrides), makeKidsPlan()];
    const { user } = renderPage();
    expect(await findTerms()).toHaveTextContent(
      `This also cancels the scheduled ${what} of Faith & Family and Gospel TV. If you change your mind, we’ll put it back.`,
    );
    expect((await findTerms()).compareDocumentPosition(await findCancelButton())).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
    await user.click(getCheckbox('Faith & Family'));
    await user.click(getCheckbox('Gospel TV'));
    expect(await findTerms()).not.toHaveTextContent('This also cancels');
  });

  // shows: cancel-7
  it('is immediate for a single paused plan, without a checkbox', async () => {
    plans = [makePlan(PAUSED)];
    renderPage();
    expect(await findTerms()).toHaveTextContent('Faith & Family is paused and ends immediately.');
    expect(await findTerms()).not.toHaveTextContent('Your access');
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  });

  // shows: rule-7
  it('asks before a plan that has not started ends at once', async () => {
    plans = [makePlan({ ...TRIAL, startsAt: '2026-12-10T15:00:00Z' })];
    recordCancellations(CANCEL);
    const { user } = renderPage();
    const sentence = 'Faith & Family hasn’t started yet and ends immediately.';
    expect(await findTerms()).toHaveTextContent(sentence);
    const note = screen.getByText(/^Your subscription starts on/);
    expect(note).toHaveTextContent('Your subscription starts on December 10, 2026.');
    await user.click(await findCancelButton());
    const dialog = screen.getByRole('dialog', { name: 'End Faith & Family now?' });
    expect(dialog).toHaveTextContent(`${sentence} You can’t undo this.`);
  });

  it('follows the checkboxes, with the remaining plans and their cost', async () => {
    plans = [makePlan(), makeGospelPlan({ nextBillingAt: '2026-12-05T15:00:00Z' })];
    const existingPlans = plans.map((plan) => (plan.subId === 'sub_faith' ? endPlan(plan) : plan));
    server.use(
      http.post('*/api/account/add-remove-service/estimate', () =>
        HttpResponse.json(
          makeServicesChange({
            existingPlans,
            nextBills: [
              makeNextBill({ planNames: ['Gospel TV'], date: '2026-12-05T15:00:00Z', amount: 719 }),
              makeNextBill({
                planNames: ['Gospel TV'],
                date: '2027-01-05T15:00:00Z',
                amount: 799,
                follows: true,
              }),
            ],
          }),
        ),
      ),
    );
    const { user } = renderPage();
    expect(await findTerms()).toHaveTextContent(
      'Your access to Gospel TV continues until December 5',
    );
    await user.click(getCheckbox('Gospel TV'));
    expect(await findTerms()).not.toHaveTextContent('Your access to Gospel TV');
    await screen.findByText(/You’ll keep Gospel TV/);
    await waitFor(async () =>
      expect(await findTerms()).toHaveTextContent(
        'You’ll keep Gospel TV. Your next bill is $7.19 on December 5, 2026. From January 5, 2027, it is $7.99 / month.',
      ),
    );
  });
});

describe('the survey', () => {
  // shows: cancel-9, cancel-10, cancel-11
  it.each([
    [
      'Why are you leaving?',
      [
        'Content is not interesting',
        'Found a better service',
        'Too expensive',
        'Technical Issues',
        'No longer needed',
      ],
    ],
    [
      'How satisfied were you?',
      ['Very satisfied', 'Satisfied', 'Neutral', 'Dissatisfied', 'Very dissatisfied'],
    ],
    [
      'How often did you watch?',
      ['Daily', 'Several times a week', 'Once a week', 'A few times a month', 'Rarely'],
    ],
  ])('asks an optional question: %s', async (question, options) => {
    renderPage();
    const select = await screen.findByLabelText(question);
    await within(select).findByRole('option', { name: options[0] });
    const offered = within(select).getAllByRole('option');
    expect(offered.map(({ textContent }) => textContent)).toEqual(['No answer', ...options]);
    expect(select).not.toBeRequired();
  });
});

describe('the pause offer', () => {
  // shows: rule-19
  it('says which plan goes on to be billed, because it cannot be paused', async () => {
    plans = [makePlan(), makeGospelPlan({ name: 'Sermon Library', isChangeable: false })];
    const { user } = renderPage();
    const note = 'Sermon Library can’t be paused. Billing continues as usual.';
    expect(await screen.findByText(note)).toBeVisible();
    await user.click(getCheckbox('Sermon Library'));
    expect(screen.queryByText(note)).not.toBeInTheDocument();
  });

  // shows: cancel-5
  it('is beside the cancellation and looks like it', async () => {
    renderPage();
    const pause = await screen.findByRole('button', { name: 'Pause for a month' });
    expect(queryPauseOffer()).toBeInTheDocument();
    expect(pause.className).toBe((await findCancelButton()).className);
    expect(await screen.findByText(/Faith & Family pauses on/)).toHaveTextContent(
      'pauses on December 10, 2026 and resumes on January 9, 2027.',
    );
  });

  // shows: cancel-15
  it('has the words of the first offer that fits the reason', async () => {
    const pauseOffers = [
      { heading: 'Keep the price', text: 'A month off costs nothing.', reason: 'Too expensive' },
      { heading: 'Come back in spring', text: 'New seasons start then.', reason: '' },
    ];
    server.use(
      http.get('*/api/account/cancel-screen', () =>
        HttpResponse.json(makeCancelScreen({ pauseOffers })),
      ),
    );
    const { user } = renderPage();
    expect(await screen.findByRole('heading', { name: 'Come back in spring' })).toBeVisible();
    await user.selectOptions(screen.getByLabelText('Why are you leaving?'), 'Too expensive');
    expect(screen.getByRole('heading', { name: 'Keep the price' })).toBeVisible();
    expect(screen.getByText('A month off costs nothing.')).toBeVisible();
    expect(screen.queryByText('Come back in spring')).not.toBeInTheDocument();
  });

  // shows: cancel-5, cancel-6
  it.each<[string, Plan[], string]>([
    ['a pause is scheduled', [makePlan(PAUSE_SCHEDULED)], ''],
    ['it is in trial', [makePlan(TRIAL)], ''],
    ['the URL names no active plan', [makePlan(), makeGospelPlan(PAUSED)], '?ids=sub_gospel'],
  ])('is not shown if %s', async (_case, heldPlans, query) => {
    plans = heldPlans;
    renderPage(query);
    await findCancelButton();
    expect(queryPauseOffer()).not.toBeInTheDocument();
  });

  // shows: cancel-5, api-17
  it('pauses the chosen plans, sends the answers, and shows the summary', async () => {
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan(TRIAL)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans, ...DATES });
      }),
    );
    const { user } = renderPage();
    await findCancelButton();
    await user.click(getCheckbox('Faith & Family'));
    await screen.findByRole('option', { name: 'Technical Issues' });
    await user.selectOptions(screen.getByLabelText('Why are you leaving?'), 'Technical Issues');
    await user.click(screen.getByRole('button', { name: 'Pause for a month' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/pause-summary');
    expect(requests).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'cancel_screen', reason: 'Technical Issues' },
    ]);
  });
});

describe('canceling', () => {
  const receipt = () => screen.getByTestId('receipt');

  // shows: cancel-13, cancel-14, api-26
  it('cancels all listed plans with the answers, and shows the specified message', async () => {
    plans = [makePlan(), makeGospelPlan()];
    const requests = recordCancellations(CANCEL);
    const { user } = renderPage();
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
    plans = heldPlans;
    recordCancellations(CANCEL);
    const { user } = renderPage(query);
    await user.click(await findCancelButton());
    for (const name of confirmations) await user.click(screen.getByRole('button', { name }));
    await screen.findByTestId('elsewhere');
    expect(receipt().textContent).toMatch(text);
  });

  // shows: api-26
  it('cancels only checked plans, also one that ends at once', async () => {
    plans = [makePlan(), makeGospelPlan(PAUSED)];
    const requests = recordCancellations(CANCEL);
    const { user } = renderPage();
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
    plans = [makePlan({ ...PAUSED, ...overrides })];
    const requests = recordCancellations(CANCEL);
    const { user } = renderPage();
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
    plans = [makePlan(), makeGospelPlan()];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans, ...DATES });
      }),
    );
    const { user } = renderPage();
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
    plans = [makePlan(), makeGospelPlan()];
    const requests = recordCancellations(CANCEL);
    const { user } = renderPage();
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
    const { user } = renderPage();
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
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan()];
    const refusePartly = () => {
      plans = [endPlan(makePlan()), makeGospelPlan(), makeKidsPlan()];
      return errorResponse(502, 'billing_partial', 'Some were not done.', { extra: { plans } });
    };
    const requests = recordCancellations(CANCEL, refusePartly);
    const { user } = renderPage('?ids=sub_faith&ids=sub_gospel');
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

  it.each<[string, Plan, string[], string[]]>([
    ['was unchecked', makeGospelPlan(), ['Gospel TV'], []],
    ['is paused and was never checked', makeGospelPlan(PAUSED), [], ['Yes, end Gospel TV now']],
  ])(
    'never cancels the only plan left that %s',
    async (_case, gospel, unchecked, confirmations) => {
      plans = [makePlan(), gospel];
      const dropConnection = () => {
        plans = [endPlan(makePlan()), gospel];
        return HttpResponse.error();
      };
      const requests = recordCancellations(CANCEL, dropConnection);
      const { user } = renderPage();
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

  it('keeps a plan unchecked after an expired session', async () => {
    plans = [endPlan(makePlan()), makeGospelPlan()];
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
    const { user } = renderPage();
    await user.click(await findCancelButton());
    await vi.advanceTimersByTimeAsync(10_000);
    const said = await screen.findByText(/We’re confirming your change/);
    expect(said.closest('[role=status]')).toBeInTheDocument();
  });
});

// shows: rule-7
it('says how else to cancel if the button is switched off', async () => {
  server.use(
    http.get('*/api/site', () => HttpResponse.json(makeSite({ enableCancelButton: false }))),
  );
  renderPage();
  const link = await screen.findByRole('link', { name: /Contact Customer Service/ });
  expect(link).toHaveAttribute('href', 'https://help.example.com/requests/new');
  expect(screen.queryByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' })).not.toBeInTheDocument();
  expect(within(document.body).queryByLabelText('Why are you leaving?')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Pause for a month' })).toBeInTheDocument();
});

it('offers no pause if operators have switched it off, and sends no offer', async () => {
  server.use(http.get('*/api/site', () => HttpResponse.json(makeSite({ pauseOfferOn: false }))));
  const requests = recordCancellations(CANCEL);
  const { user } = renderPage();
  const cancelButton = await findCancelButton();
  await waitFor(() =>
    expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument(),
  );
  await user.click(cancelButton);
  await waitFor(() => expect(requests).toHaveLength(1));
  expect(requests[0]?.body).not.toHaveProperty('offer');
  expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument();
});
