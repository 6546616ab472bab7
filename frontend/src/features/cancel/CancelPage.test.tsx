import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';
import { useSnackbar } from '@/stores/snackbar';
import {
  aGospelPlan,
  aKidsPlan,
  aPlan,
  aServicesChange,
  aSite,
  ENDING,
  PAUSE_SCHEDULED,
  PAUSED,
  someManagePlans,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import CancelPage from './CancelPage';

const CANCEL = '*/api/account/subscriptions/cancel';
const DATES = { pauseDate: '2026-12-10T15:00:00Z', resumeDate: '2027-01-09T15:00:00Z' };
const TRIAL: Partial<Plan> = { status: 'IN_TRIAL' };

let plans: Plan[] = [];

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-20T12:00:00Z') });
  plans = [aPlan()];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(someManagePlans({ existingPlans: plans })),
    ),
    http.get('*/api/account/pause/estimate', () =>
      HttpResponse.json({ ...DATES, plans: plans.map(({ subId }) => ({ subId, ...DATES })) }),
    ),
    http.post('*/api/account/add-remove-service/estimate', () =>
      HttpResponse.json(aServicesChange()),
    ),
  );
});
afterEach(() => vi.useRealTimers());

const show = (query = '') =>
  renderScreen(<CancelPage />, { at: `/cancelAll${query}`, route: '/cancelAll' });
const button = () => screen.findByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' });
const terms = () => screen.findByRole('list', { name: 'What happens if you cancel' });
const box = (name: string) => screen.getByRole('checkbox', { name });
const offer = () =>
  screen.queryByText(
    'Stay for a little longer? Keep your account and data. You won’t get billed for a month.',
  );

interface Asked {
  body: unknown;
  key: string | null;
}

/** Answers a cancellation as the server would, and remembers what was asked. */
function takeCancellations(path: string, ...refusals: (() => Response)[]): Asked[] {
  const asked: Asked[] = [];
  server.use(
    http.post(path, async ({ request }) => {
      const body = (await request.json()) as { subscriptionIds?: string[] };
      asked.push({ body, key: request.headers.get('Idempotency-Key') });
      return (refusals.shift() ?? (() => cancelled(body.subscriptionIds)))();
    }),
  );
  return asked;
}

function cancelled(ids = plans.map(({ subId }) => subId)): Response {
  const about = plans.filter(({ subId }) => ids.includes(subId));
  plans = plans.map((plan) => (about.includes(plan) ? ended(plan) : plan));
  return HttpResponse.json({
    plans,
    cancelled: about.map(({ subId, name, status, nextBillingAt }) => ({
      subId,
      name,
      endsAt: nextBillingAt ?? '2026-11-20T12:00:00Z',
      atOnce: status === 'PAUSED',
    })),
  });
}

function ended(plan: Plan): Plan {
  if (plan.status === 'PAUSED') return { ...plan, status: 'CANCELLED' };
  return { ...plan, ...ENDING, cancelAt: plan.nextBillingAt };
}

describe('the list', () => {
  it('checks what is active or in trial, not what is paused, and drops what ends', async () => {
    plans = [aPlan(), aGospelPlan(PAUSED), aKidsPlan(TRIAL)];
    show();
    await button();
    expect(screen.getAllByRole('checkbox')).toHaveLength(3);
    expect(box('Faith & Family')).toBeChecked();
    expect(box('Gospel TV')).not.toBeChecked();
    expect(box('Kids')).toBeChecked();
  });

  it('shows only what the address names', async () => {
    plans = [aPlan(), aGospelPlan(), aKidsPlan(ENDING)];
    show('?ids=sub_gospel&ids=sub_kids');
    await button();
    expect(screen.getByRole('table')).toHaveTextContent('Gospel TV');
    expect(screen.getByRole('table')).not.toHaveTextContent(/Faith|Kids/);
  });

  it.each([
    ['2027-02-19T12:00:00Z', 'It breaks our heart to see you go!'],
    ['2027-02-18T12:00:00Z', 'We are sad to see you go!'],
    [null, 'We are sad to see you go!'],
  ])('with a next bill on %s says: %s', async (nextBillingAt, words) => {
    plans = [aPlan({ nextBillingAt }), aGospelPlan({ nextBillingAt: '2027-06-01T12:00:00Z' })];
    show();
    expect(await screen.findByRole('heading', { level: 1, name: words })).toBeInTheDocument();
  });

  it.each<[string, Plan[], string]>([
    ['nothing is held', [], 'You have no subscription at the moment, so nothing will be billed.'],
    ['everything ends', [aPlan(ENDING)], 'will end at the end of your billing cycle, December 4'],
  ])('says so where %s', async (_case, held, words) => {
    plans = held;
    show();
    expect(await screen.findByText('There is nothing left to cancel')).toBeInTheDocument();
    expect(screen.getByText(words, { exact: false })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /CANCEL/ })).not.toBeInTheDocument();
  });
});

describe('what happens', () => {
  it.each<[string, Partial<Plan>, string]>([
    ['is active', {}, 'Your access continues until December 10, 2026.'],
    [
      'is to be paused',
      { ...PAUSE_SCHEDULED, pauseDate: '2026-12-15T15:00:00Z' },
      'Your access continues until December 15, 2026.',
    ],
    ['is in trial', TRIAL, 'Your access continues until December 10, 2026, when your trial ends.'],
  ])('is said before, where the plan %s', async (_case, differing, words) => {
    plans = [aPlan(differing)];
    show();
    expect(await terms()).toHaveTextContent(words);
    expect(await terms()).toHaveTextContent('Nothing more is billed for Faith & Family.');
  });

  it.each<[string, Partial<Plan>]>([
    ['pause', PAUSE_SCHEDULED],
    ['change', { hasScheduledChange: true }],
  ])('sets a scheduled %s aside, which is said before the button', async (what, differing) => {
    plans = [aPlan(differing), aGospelPlan(differing), aKidsPlan()];
    const { user } = show();
    expect(await terms()).toHaveTextContent(
      `The scheduled ${what} of Faith & Family and Gospel TV is set aside. It is scheduled again if you keep them after all.`,
    );
    expect((await terms()).compareDocumentPosition(await button())).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
    await user.click(box('Faith & Family'));
    await user.click(box('Gospel TV'));
    expect(await terms()).not.toHaveTextContent('set aside');
  });

  it('is at once where the only plan is paused, which needs no box', async () => {
    plans = [aPlan(PAUSED)];
    show();
    expect(await terms()).toHaveTextContent('Faith & Family is paused and ends at once.');
    expect(await terms()).not.toHaveTextContent('Your access');
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  });

  it('follows the boxes, with what is kept and what that costs then', async () => {
    plans = [aPlan(), aGospelPlan({ nextBillingAt: '2026-12-05T15:00:00Z' })];
    const existingPlans = plans.map((plan) => (plan.subId === 'sub_faith' ? ended(plan) : plan));
    server.use(
      http.post('*/api/account/add-remove-service/estimate', () =>
        HttpResponse.json(aServicesChange({ existingPlans, total: 719, bundleSavings: 80 })),
      ),
    );
    const { user } = show();
    expect(await terms()).toHaveTextContent('Your access to Gospel TV continues until December 5');
    await user.click(box('Gospel TV'));
    expect(await terms()).not.toHaveTextContent('Your access to Gospel TV');
    await screen.findByText(/You keep Gospel TV/);
    await waitFor(async () =>
      expect(await terms()).toHaveTextContent(
        'You keep Gospel TV for $7.19 / month and applicable taxes. Once Faith & Family has ended, the price is $7.99 / month.',
      ),
    );
  });
});

describe('the survey', () => {
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
  ])('asks, and leaves open: %s', async (question, options) => {
    show();
    const select = await screen.findByLabelText(question);
    const offered = within(select).getAllByRole('option');
    expect(offered.map(({ textContent }) => textContent)).toEqual(['No answer', ...options]);
    expect(select).not.toBeRequired();
  });
});

describe('the pause offer', () => {
  it('stands beside the end and looks like it', async () => {
    show();
    const pause = await screen.findByRole('button', { name: 'Pause for a month' });
    expect(offer()).toBeInTheDocument();
    expect(pause.className).toBe((await button()).className);
    expect(await screen.findByText(/Faith & Family pauses on/)).toHaveTextContent(
      'pauses on December 10, 2026 and resumes on January 9, 2027.',
    );
  });

  it.each<[string, Plan[], string]>([
    ['a pause is scheduled', [aPlan(PAUSE_SCHEDULED)], ''],
    ['it is in trial', [aPlan(TRIAL)], ''],
    ['what is active is not named', [aPlan(), aGospelPlan(PAUSED)], '?ids=sub_gospel'],
  ])('is not made where %s', async (_case, held, query) => {
    plans = held;
    show(query);
    await button();
    expect(offer()).not.toBeInTheDocument();
  });

  it('pauses what was about to be cancelled, keeps what was answered, and shows the summary', async () => {
    plans = [aPlan(), aGospelPlan(), aKidsPlan(TRIAL)];
    const asked: unknown[] = [];
    server.use(
      http.post('*/api/account/subscriptions/multiple-pause', async ({ request }) => {
        asked.push(await request.json());
        return HttpResponse.json({ plans, ...DATES });
      }),
    );
    const { user } = show();
    await button();
    await user.click(box('Faith & Family'));
    await user.selectOptions(screen.getByLabelText('Why are you leaving?'), 'Technical Issues');
    await user.click(screen.getByRole('button', { name: 'Pause for a month' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/pause-summary');
    expect(asked).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'cancel_screen', reason: 'Technical Issues' },
    ]);
  });
});

describe('cancelling', () => {
  const said = () => useSnackbar.getState();

  it('cancels everything it showed with the answers given, and says so in the literal words', async () => {
    plans = [aPlan(), aGospelPlan()];
    const asked = takeCancellations(CANCEL);
    const { user } = show();
    await user.selectOptions(await screen.findByLabelText('Why are you leaving?'), 'Too expensive');
    await user.selectOptions(screen.getByLabelText('How often did you watch?'), 'Rarely');
    await user.dblClick(await button());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
    expect(asked).toEqual([
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
    expect(said()).toMatchObject({
      severity: 'success',
      content: 'All your subscriptions will be cancel at the end of current term',
    });
  });

  it.each<[string, Plan[], string, string]>([
    [
      'only some are cancelled',
      [aPlan(), aGospelPlan()],
      '?ids=sub_gospel',
      'Your access to Gospel TV ends on December 10, 2026.',
    ],
    [
      'a trial ends',
      [aPlan(TRIAL)],
      '',
      'Your access to Faith & Family ends on December 10, 2026.',
    ],
    [
      'a paused one ends at once',
      [aPlan(PAUSED)],
      '',
      'Faith & Family ended at once, on November 20, 2026.',
    ],
  ])('says what ends when, where %s', async (_case, held, query, words) => {
    plans = held;
    takeCancellations(CANCEL);
    const { user } = show(query);
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(said().content).toBe(words);
  });

  it('cancels only what is checked, also what ends at once', async () => {
    plans = [aPlan(), aGospelPlan(PAUSED)];
    const asked = takeCancellations(CANCEL);
    const { user } = show();
    await button();
    await user.click(box('Faith & Family'));
    await user.click(box('Gospel TV'));
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(asked.map(({ body }) => body)).toEqual([{ subscriptionIds: ['sub_gospel'] }]);
  });

  it('asks for a choice where nothing is checked', async () => {
    plans = [aPlan(), aGospelPlan()];
    const asked = takeCancellations(CANCEL);
    const { user } = show();
    await button();
    await user.click(box('Faith & Family'));
    await user.click(box('Gospel TV'));
    await user.click(await button());
    expect(screen.getByText('Choose at least one subscription to cancel.')).toBeInTheDocument();
    expect(box('Faith & Family')).toHaveFocus();
    expect(asked).toEqual([]);
  });

  it('keeps the answers when it fails, and asks about the same intent again', async () => {
    const down = () => refusal(503, 'billing_unavailable', 'Our billing service is away.');
    const asked = takeCancellations(CANCEL, down);
    const { user } = show();
    const reason = await screen.findByLabelText('Why are you leaving?');
    await user.selectOptions(reason, 'Too expensive');
    await user.click(await button());
    expect(await screen.findByText('Our billing service is away.')).toBeInTheDocument();
    expect(reason).toHaveValue('Too expensive');
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });

  it('says what was done of several, and finishes the rest as it began', async () => {
    plans = [aPlan(), aGospelPlan(), aKidsPlan()];
    const partly = () => {
      plans = [ended(aPlan()), aGospelPlan(), aKidsPlan()];
      return refusal(502, 'billing_partial', 'Some were not done.', { extra: { plans } });
    };
    const asked = takeCancellations(CANCEL, partly);
    const { user } = show('?ids=sub_faith&ids=sub_gospel');
    await user.click(await button());
    expect(await screen.findByText('Some were not done.')).toBeInTheDocument();
    expect(screen.getByText(/Faith & Family has been cancelled/)).toBeInTheDocument();
    expect(screen.getByRole('table')).not.toHaveTextContent('Faith & Family');
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    const ids = { subscriptionIds: ['sub_faith', 'sub_gospel'], offer: 'pause' };
    expect(asked.map(({ body }) => body)).toEqual([ids, ids]);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
  });

  it.each<[string, Plan, string[]]>([
    ['was unchecked', aGospelPlan(), ['Gospel TV']],
    ['is paused and was never checked', aGospelPlan(PAUSED), []],
  ])('never cancels what %s because it is the only one left', async (_case, gospel, unchecked) => {
    plans = [aPlan(), gospel];
    const cut = () => {
      plans = [ended(aPlan()), gospel];
      return HttpResponse.error();
    };
    const asked = takeCancellations(CANCEL, cut);
    const { user } = show();
    await button();
    for (const name of unchecked) await user.click(box(name));
    await user.click(await button());
    await waitFor(() => expect(screen.getAllByRole('checkbox')).toHaveLength(1));
    expect(box('Gospel TV')).not.toBeChecked();
    await user.click(await button());
    expect(screen.getByText('Choose at least one subscription to cancel.')).toBeInTheDocument();
    expect(asked).toMatchObject([{ body: { subscriptionIds: ['sub_faith'] } }]);
    await user.click(box('Gospel TV'));
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(asked[1]).toMatchObject({ body: { subscriptionIds: ['sub_gospel'] } });
  });

  it('leaves unchecked what was unchecked before the session expired', async () => {
    plans = [ended(aPlan()), aGospelPlan()];
    const owner = 'ava@example.com';
    useAuth.getState().signIn('test-token', owner);
    useDrafts.getState().keep('leaving', { owner, draft: { sub_gospel: false } });
    renderScreen(<CancelPage />, { at: '/cancelAll', signedIn: false });
    await button();
    expect(box('Gospel TV')).not.toBeChecked();
  });

  it('is no failure while it is being confirmed', async () => {
    const unsure = () =>
      refusal(503, 'billing_unconfirmed', 'We are not sure yet.', { retryAfter: 0 });
    takeCancellations(CANCEL, ...Array.from({ length: 8 }, () => unsure));
    const { user } = show();
    await user.click(await button());
    await vi.advanceTimersByTimeAsync(10_000);
    const said = await screen.findByText(/We are confirming your change/);
    expect(said.closest('[role=status]')).toBeInTheDocument();
  });
});

it('says how else to cancel where the button is switched off', async () => {
  server.use(http.get('*/api/site', () => HttpResponse.json(aSite({ enableCancelButton: false }))));
  show();
  const link = await screen.findByRole('link', { name: /Contact Customer Service/ });
  expect(link).toHaveAttribute('href', 'https://help.example.com/requests/new');
  expect(screen.queryByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' })).not.toBeInTheDocument();
  expect(within(document.body).queryByLabelText('Why are you leaving?')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Pause for a month' })).toBeInTheDocument();
});

it('offers no pause where operators have switched the offer off, and says so with the cancellation', async () => {
  server.use(http.get('*/api/site', () => HttpResponse.json(aSite({ pauseOfferOn: false }))));
  const asked = takeCancellations(CANCEL);
  const { user } = show();
  await user.click(await button());
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.body).not.toHaveProperty('offer');
  expect(screen.queryByRole('button', { name: 'Pause for a month' })).not.toBeInTheDocument();
});
