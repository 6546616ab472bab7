import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Plan } from '@/lib/api/types';
import {
  ENDING,
  makeAccount,
  makeCancelScreen,
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makeNextBill,
  makePaymentFailure,
  makePlan,
  makeServicesChange,
  makeSite,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import {
  account,
  CANCEL,
  DATES,
  endPlan,
  findCancelButton,
  findTerms,
  getCheckbox,
  queryPauseOffer,
  recordCancellations,
  renderCancelPage,
  setUpAccount,
  TRIAL,
} from './renderCancelPage';

beforeEach(setUpAccount);

describe('the list', () => {
  // shows: cancel-1
  it('preselects active plans and trials, not paused plans, and omits ending plans', async () => {
    account.plans = [makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(TRIAL)];
    renderCancelPage();
    await findCancelButton();
    expect(screen.getAllByRole('checkbox')).toHaveLength(3);
    expect(getCheckbox('Faith & Family')).toBeChecked();
    expect(getCheckbox('Gospel TV')).not.toBeChecked();
    expect(getCheckbox('Kids')).toBeChecked();
  });

  // shows: cancel-2
  it('shows only the plans in the URL', async () => {
    account.plans = [makePlan(), makeGospelPlan(), makeKidsPlan(ENDING)];
    renderCancelPage('?ids=sub_gospel&ids=sub_kids');
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
    account.plans = [
      makePlan({ nextBillingAt }),
      makeGospelPlan({ nextBillingAt: '2027-06-01T12:00:00Z' }),
    ];
    renderCancelPage();
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
    account.plans = heldPlans;
    renderCancelPage();
    const title = await screen.findByText('Nothing to cancel');
    expect(title.nextElementSibling).toHaveTextContent(text);
    expect(screen.queryByRole('button', { name: /CANCEL/ })).not.toBeInTheDocument();
  });

  it('does not deny what is overdue where nothing is left to cancel', async () => {
    const failure = makePaymentFailure({ failedPayments: [makeFailedPayment()] });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    account.plans = [makePlan(ENDING)];
    renderCancelPage();
    const title = await screen.findByText('Nothing to cancel');
    await waitFor(() =>
      expect(title.nextElementSibling).toHaveTextContent(
        'Faith & Family ends on December 4, 2026, and you won’t be billed again, except for the $6.99 you still owe.',
      ),
    );
  });

  it('does not lose the focus on the way to the other subscriptions', async () => {
    account.plans = [makePlan(ENDING), makeGospelPlan()];
    const { user } = renderCancelPage('?ids=sub_faith');
    await user.click(await screen.findByRole('link', { name: 'See all your subscriptions' }));
    await findCancelButton();
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('says once when two plans of one name end', async () => {
    account.plans = [makePlan(ENDING), makePlan({ ...ENDING, subId: 'sub_other' })];
    renderCancelPage();
    const ends = await screen.findAllByText(/^Your access to Faith & Family will end/);
    expect(ends).toHaveLength(1);
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
    account.plans = [makePlan(overrides)];
    renderCancelPage();
    expect(await findTerms()).toHaveTextContent(text);
    expect(await findTerms()).toHaveTextContent('No more charges for Faith & Family.');
  });

  it('does not say that nothing more is charged while a bill is overdue', async () => {
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment()],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    account.plans = [makePlan(), makeGospelPlan()];
    recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    await findTerms();
    expect(await screen.findByText(/^You won’t be charged today/)).toHaveTextContent(
      'You won’t be charged today, except the $6.99 you still owe.',
    );
    expect(await screen.findByText(/^No more charges/)).toHaveTextContent(
      'No more charges for Faith & Family and Gospel TV, except the $6.99 you still owe.',
    );
    await user.click(await findCancelButton());
    expect(await screen.findByTestId('receipt')).toHaveTextContent(
      'You weren’t charged today, and you won’t be charged for them again, except for the $6.99 you still owe.',
    );
  });

  it('does not deny charges that are not billed yet', async () => {
    server.use(
      http.get('*/api/account', () => HttpResponse.json(makeAccount({ hasUnbilledCharges: true }))),
    );
    recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    expect(await screen.findByText(/charges that aren’t billed yet/)).toHaveTextContent(
      'No more charges for Faith & Family, except charges that aren’t billed yet.',
    );
    await user.click(await findCancelButton());
    expect(await screen.findByTestId('receipt')).toHaveTextContent(
      'You weren’t charged today, and you won’t be charged for it again, except for charges that aren’t billed yet.',
    );
  });

  it('follows the selection also where two plans have one name', async () => {
    const kids = makeKidsPlan({ nextBillingAt: '2026-12-01T15:00:00Z' });
    const others = { subId: 'sub_other', nextBillingAt: '2026-12-20T15:00:00Z' };
    account.plans = [kids, makePlan(), makeKidsPlan(others)];
    const { user } = renderCancelPage();
    expect(await findTerms()).toHaveTextContent('to Kids continues until December 1, 2026.');
    const [first] = screen.getAllByRole('checkbox', { name: 'Kids' });
    if (first) await user.click(first);
    expect(await findTerms()).toHaveTextContent('to Kids continues until December 20, 2026.');
    expect(await findTerms()).not.toHaveTextContent('until December 1, 2026.');
  });

  it('says that a plan under contract is billed until its contract ends', async () => {
    account.plans = [makePlan({ contractEndsAt: '2027-03-10T15:00:00Z', isChangeable: false })];
    renderCancelPage();
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
    account.plans = [makePlan(overrides), makeGospelPlan(overrides), makeKidsPlan()];
    const { user } = renderCancelPage();
    expect(await findTerms()).toHaveTextContent(
      `This also cancels the scheduled ${what} of Faith & Family and Gospel TV. If you undo the cancellation, we’ll put it back.`,
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
    account.plans = [makePlan(PAUSED)];
    renderCancelPage();
    expect(await findTerms()).toHaveTextContent('Faith & Family is paused and ends immediately.');
    expect(await findTerms()).not.toHaveTextContent('Your access');
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  });

  it.each<[Partial<Plan>, string]>([
    [
      {},
      'You can’t undo an immediate cancellation, but you can start Faith & Family again anytime.',
    ],
    [{ amountToday: null }, 'You can’t undo an immediate cancellation.'],
  ])('can be followed by a new start only if the plan is sold', async (overrides, sentence) => {
    account.plans = [makePlan({ ...PAUSED, ...overrides })];
    renderCancelPage();
    await findTerms();
    expect(screen.getByText(/^You can’t undo/)).toHaveTextContent(sentence);
  });

  // shows: rule-7
  it('asks before a plan that has not started ends at once', async () => {
    account.plans = [makePlan({ ...TRIAL, startsAt: '2026-12-10T15:00:00Z' })];
    recordCancellations(CANCEL);
    const { user } = renderCancelPage();
    const sentence = 'Faith & Family hasn’t started yet and ends immediately.';
    expect(await findTerms()).toHaveTextContent(sentence);
    const note = screen.getByText(/^Your subscription starts on/);
    expect(note).toHaveTextContent('Your subscription starts on December 10, 2026.');
    await user.click(await findCancelButton());
    const dialog = screen.getByRole('dialog', { name: 'End Faith & Family now?' });
    expect(dialog).toHaveTextContent(`${sentence} You can’t undo this.`);
  });

  it('follows the checkboxes, with the remaining plans and their cost', async () => {
    account.plans = [makePlan(), makeGospelPlan({ nextBillingAt: '2026-12-05T15:00:00Z' })];
    const existingPlans = account.plans.map((plan) =>
      plan.subId === 'sub_faith' ? endPlan(plan) : plan,
    );
    server.use(
      http.post('*/api/account/add-remove-service/estimate', () =>
        HttpResponse.json(
          makeServicesChange({
            existingPlans,
            nextBills: [
              makeNextBill({
                plans: ['sub_gospel'],
                planNames: ['Gospel TV'],
                date: '2026-12-05T15:00:00Z',
                amount: 719,
              }),
              makeNextBill({
                plans: ['sub_gospel'],
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
    const { user } = renderCancelPage();
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
    renderCancelPage();
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
    account.plans = [makePlan(), makeGospelPlan({ name: 'Sermon Library', isChangeable: false })];
    const { user } = renderCancelPage();
    const note = 'Sermon Library can’t be paused. Billing continues as usual.';
    expect(await screen.findByText(note)).toBeVisible();
    await user.click(getCheckbox('Sermon Library'));
    expect(screen.queryByText(note)).not.toBeInTheDocument();
  });

  // shows: cancel-5
  it('is beside the cancellation and looks like it', async () => {
    renderCancelPage();
    const pause = await screen.findByRole('button', { name: 'Pause for a month' });
    expect(queryPauseOffer()).toBeInTheDocument();
    expect(pause.className).toBe((await findCancelButton()).className);
    expect(await screen.findByText(/Faith & Family pauses on/)).toHaveTextContent(
      'pauses on December 10, 2026 and resumes on January 9, 2027.',
    );
  });

  it('pauses nothing before its dates are there, and can load them again', async () => {
    server.use(
      http.get(
        '*/api/account/pause/estimate',
        () => errorResponse(503, 'billing_unavailable', 'Nothing was changed.'),
        { once: true },
      ),
    );
    const { user } = renderCancelPage();
    expect(await screen.findByText('Nothing was changed.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument();
    expect(await findCancelButton()).toBeEnabled();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(/Faith & Family pauses on/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Pause for a month' })).toBeEnabled();
  });

  it('still says why a pause was refused if nothing is left to pause', async () => {
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', () => {
        account.plans = [makePlan(PAUSE_SCHEDULED)];
        return errorResponse(409, 'already_paused', 'It already has a pause.');
      }),
    );
    const { user } = renderCancelPage();
    await screen.findByText(/Faith & Family pauses on/);
    await user.click(screen.getByRole('button', { name: 'Pause for a month' }));
    await waitFor(() => expect(queryPauseOffer()).not.toBeInTheDocument());
    expect(screen.getByText('It already has a pause.')).toBeVisible();
  });

  it('goes once a retry has found that nothing is left to pause', async () => {
    server.use(
      http.get('*/api/account/pause/estimate', () =>
        errorResponse(409, 'nothing_to_pause', 'Nothing can be paused.'),
      ),
    );
    const { user } = renderCancelPage();
    const retry = await screen.findByRole('button', { name: 'Try again' });
    account.plans = [makePlan(PAUSE_SCHEDULED)];
    await user.click(retry);
    await waitFor(() => expect(queryPauseOffer()).not.toBeInTheDocument());
    expect(await findCancelButton()).toBeVisible();
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
    const { user } = renderCancelPage();
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
    account.plans = heldPlans;
    renderCancelPage(query);
    await findCancelButton();
    expect(queryPauseOffer()).not.toBeInTheDocument();
  });

  // shows: cancel-5, api-17
  it('pauses the chosen plans, sends the answers, and shows the summary', async () => {
    account.plans = [makePlan(), makeGospelPlan(), makeKidsPlan(TRIAL)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', async ({ request }) => {
        requests.push(await request.json());
        return HttpResponse.json({ plans: account.plans, ...DATES });
      }),
    );
    const { user } = renderCancelPage();
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

// shows: rule-7
it('says how else to cancel if the button is switched off', async () => {
  server.use(
    http.get('*/api/site', () => HttpResponse.json(makeSite({ enableCancelButton: false }))),
  );
  renderCancelPage();
  const link = await screen.findByRole('link', { name: /Contact Customer Service/ });
  expect(link).toHaveAttribute('href', 'https://help.example.com/requests/new');
  expect(screen.queryByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' })).not.toBeInTheDocument();
  expect(within(document.body).queryByLabelText('Why are you leaving?')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Pause for a month' })).toBeInTheDocument();
});

it('offers no pause if operators have switched it off, and sends no offer', async () => {
  server.use(http.get('*/api/site', () => HttpResponse.json(makeSite({ pauseOfferOn: false }))));
  const requests = recordCancellations(CANCEL);
  const { user } = renderCancelPage();
  const cancelButton = await findCancelButton();
  await waitFor(() =>
    expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument(),
  );
  await user.click(cancelButton);
  await waitFor(() => expect(requests).toHaveLength(1));
  expect(requests[0]?.body).not.toHaveProperty('offer');
  expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument();
});
