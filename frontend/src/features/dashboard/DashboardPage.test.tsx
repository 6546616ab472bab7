import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Invoice, ManagePlans, Plan } from '@/lib/api/types';
import { toReceipt } from '@/lib/receipts';
import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import {
  aFreeMonth,
  aGospelPlan,
  aKidsPlan,
  anAccount,
  anInvoice,
  anOffer,
  aPlan,
  CHANGING,
  ENDING,
  PAUSE_SCHEDULED,
  PAUSED,
  someManagePlans,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import DashboardPage from './DashboardPage';

let plans: Plan[] = [];
let invoices: Invoice[] = [];
let costs: Partial<ManagePlans> = {};

beforeEach(() => {
  plans = [aPlan()];
  invoices = [anInvoice()];
  costs = {};
  server.use(
    http.get('*/api/account', () => HttpResponse.json(anAccount({ plans }))),
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(someManagePlans({ existingPlans: plans, ...costs })),
    ),
    http.get('*/api/invoice/list', () => HttpResponse.json(invoices)),
  );
});

const show = () => renderScreen(<DashboardPage />, { at: '/dashboard' });
const card = (name: string) => screen.findByRole('article', { name });

describe('the account home', () => {
  it('shows each subscription with its price, its state and what comes next', async () => {
    plans = [aPlan(), aGospelPlan(PAUSED)];
    show();
    const faith = await card('Faith & Family');
    expect(faith).toHaveTextContent('$6.99 / month');
    expect(within(faith).getByText('Active')).toBeInTheDocument();
    expect(
      within(faith).getByRole('list', { name: 'What comes next for Faith & Family' }),
    ).toHaveTextContent('Next billDecember 10, 2026');
    const gospel = await card('Gospel TV');
    expect(within(gospel).getByText('Paused')).toBeInTheDocument();
    expect(gospel).toHaveTextContent('Resumes automaticallyDecember 2, 2026');
  });

  it('says first what happens next', async () => {
    plans = [aPlan(), aGospelPlan()];
    show();
    expect(await screen.findByText(/^Your next bill/)).toHaveTextContent(
      'Your next bill comes on December 10, 2026, for Faith & Family and Gospel TV.',
    );
  });

  it('adds up what the next period costs', async () => {
    plans = [aPlan(), aGospelPlan(), aKidsPlan(PAUSED)];
    costs = { bundleSavings: 150, total: 1348 };
    show();
    const panel = await screen.findByRole('region', { name: 'What you pay' });
    const terms = within(panel).getAllByRole('term');
    expect(terms.map(({ textContent }) => textContent)).toEqual([
      'Faith & Family',
      'Gospel TV',
      'Bundle Savings',
      'Total Monthly Costs and applicable taxes',
    ]);
    expect(panel).toHaveTextContent('$13.48');
  });

  it('shows the three newest invoices, what was last paid with, and the way to all', async () => {
    invoices = ['4', '3', '2', '1'].map((number) =>
      anInvoice({ number, transactionDate: `2026-0${number}-10T15:00:00Z` }),
    );
    show();
    const panel = within(await screen.findByRole('region', { name: 'Latest invoices' }));
    expect((await panel.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([
      'Apr 10, 2026$6.99 USDPAID',
      'Mar 10, 2026$6.99 USDPAID',
      'Feb 10, 2026$6.99 USDPAID',
    ]);
    expect(panel.getByText('Visa ending in 1111')).toBeInTheDocument();
    expect(panel.getByRole('link', { name: 'See your billing history' })).toHaveAttribute(
      'href',
      '/billingHistory',
    );
  });

  it('leads to every screen that there is', async () => {
    show();
    const ways = within(await screen.findByRole('region', { name: 'Your account' }));
    expect(
      ways.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]),
    ).toEqual([
      ['Manage Subscriptions', '/manage-subscription'],
      ['Upgrade to annual billing', '/manage-subscription/upgrade'],
      ['Redeem your code', '/coupon'],
      ['Pause', '/pause-offer'],
      ['Cancel Subscriptions', '/cancelAll'],
      ['Payment Methods', '/manage-payment-method'],
      ['Billing History', '/billingHistory'],
      ['Your Profile', '/edit-profile'],
      ['Email Preferences', '/emailPreferences'],
    ]);
  });

  it('leads from one subscription to its pause', async () => {
    const { user } = show();
    await user.click(await screen.findByRole('link', { name: 'Pause Faith & Family' }));
    expect(screen.getByTestId('elsewhere')).toHaveTextContent('/pause-offer?ids=sub_faith');
  });

  it('leads from one subscription to its end, paused or not', async () => {
    plans = [aPlan(), aGospelPlan(PAUSED), aKidsPlan(ENDING)];
    show();
    await card('Faith & Family');
    const ways = screen.getAllByRole('link', { name: /^Cancel (?!Subscriptions)/ });
    expect(ways.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Cancel Faith & Family', '/cancelAll?ids=sub_faith'],
      ['Cancel Gospel TV', '/cancelAll?ids=sub_gospel'],
    ]);
  });

  it('offers no pause where nothing can be paused', async () => {
    plans = [aPlan({ status: 'NON_RENEWING', cancelAt: '2026-12-04T15:00:00Z' })];
    show();
    expect(await card('Faith & Family')).toHaveTextContent('Access endsDecember 4, 2026');
    expect(screen.queryByRole('link', { name: /Pause/ })).not.toBeInTheDocument();
  });
});

describe('an account without subscriptions', () => {
  it('is shown what would be here and the services to look at', async () => {
    plans = [];
    invoices = [];
    show();
    expect(await screen.findByText('You have no subscriptions yet')).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: /Explore Kids/ })).toBeInTheDocument();
    expect(await screen.findByText(/You have no invoices yet/)).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'What you pay' })).not.toBeInTheDocument();
  });

  it('keeps what has ended with its way back at today’s price, and its invoices', async () => {
    plans = [
      aPlan({ status: 'CANCELLED', cancelAt: '2026-05-04T15:00:00Z' }),
      aKidsPlan({ id: 'Minno', status: 'CANCELLED', cancelAt: '2026-04-04T15:00:00Z' }),
    ];
    costs = {
      existingPlans: [],
      plans: [
        { ...anOffer(), id: 'faith-family-plan', name: 'Faith & Family', service: 'faith-family' },
      ],
    };
    show();
    expect(await screen.findByText('Your subscriptions have ended')).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Ended subscriptions' })).toHaveTextContent(
      'Faith & FamilyEnded May 4, 2026$8.99 / monthStart again with Faith & Family' +
        'KidsEnded Apr 4, 2026',
    );
    expect(screen.getByRole('link', { name: /Start again/ })).toHaveAttribute(
      'href',
      '/manage-subscription?add=faith-family-plan',
    );
    expect(await screen.findByText('PAID')).toBeInTheDocument();
  });
});

describe('loading', () => {
  it('is under the overlay, and a failure can be tried again', async () => {
    server.use(
      http.get('*/api/account', () => refusal(500, 'internal_error', 'Broken.'), { once: true }),
    );
    const { user } = show();
    expect(useLoader.getState().pending).toBe(1);
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    expect(useLoader.getState().pending).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await card('Faith & Family')).toBeInTheDocument();
  });

  it('shows the rest where only the invoices fail', async () => {
    server.use(http.get('*/api/invoice/list', () => refusal(500, 'internal_error', 'Broken.')));
    show();
    expect(await card('Faith & Family')).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
  });
});

describe('cancelling a scheduled pause', () => {
  it('puts the subscription back, says so and keeps the place', async () => {
    plans = [aPlan(PAUSE_SCHEDULED)];
    const asked: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-pause', async ({ request }) => {
        asked.push(await request.json());
        plans = [aPlan()];
        return HttpResponse.json({ plans });
      }),
    );
    const { user } = show();
    expect(await card('Faith & Family')).toHaveTextContent('Pause startsDecember 10, 2026');
    await user.click(screen.getByRole('button', { name: 'Cancel pause of Faith & Family' }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /Cancel pause/ })).not.toBeInTheDocument(),
    );
    expect(asked).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(useSnackbar.getState().content).toBe('Scheduled Pause has been removed successfully.');
    expect(screen.getByRole('heading', { name: 'Faith & Family' })).toHaveFocus();
  });
});

describe('taking back what is scheduled', () => {
  it.each([
    {
      what: 'a change',
      scheduled: CHANGING,
      button: 'Undo change of Faith & Family',
      path: 'remove-scheduled-change',
      shown: 'From then on $6.99 / month',
      said: 'Faith & Family stays as it is. The scheduled change has been removed.',
    },
    {
      what: 'an end',
      scheduled: ENDING,
      button: 'Keep my subscription to Faith & Family',
      path: 'remove-scheduled-cancellation',
      shown: 'Access endsDecember 4, 2026',
      said: 'You keep Faith & Family. It goes on as before.',
    },
  ])('undoes $what, says so and keeps the place', async (given) => {
    plans = [aPlan(given.scheduled)];
    const asked: unknown[] = [];
    server.use(
      http.post(`*/api/account/subscription/${given.path}`, async ({ request }) => {
        asked.push(await request.json());
        plans = [aPlan()];
        return HttpResponse.json({ plans });
      }),
    );
    const { user } = show();
    expect(await card('Faith & Family')).toHaveTextContent(given.shown);
    await user.dblClick(screen.getByRole('button', { name: given.button }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: given.button })).not.toBeInTheDocument(),
    );
    expect(asked).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(useSnackbar.getState().content).toBe(given.said);
    expect(screen.getByRole('heading', { name: 'Faith & Family' })).toHaveFocus();
  });
});

describe('a link that takes something back', () => {
  const CANCELLATION = '*/api/account/subscription/remove-scheduled-cancellation';
  const open = (subId: string) =>
    renderScreen(<DashboardPage />, { at: `/dashboard?undo=${subId}`, route: '/dashboard' });

  it.each([
    ['Keep Faith & Family?', ENDING, 'is set to end on December 4, 2026.'],
    ['Cancel the pause of Faith & Family?', PAUSE_SCHEDULED, 'is set to pause on December 10'],
    ['Undo the change of Faith & Family?', CHANGING, 'is set to change to $6.99 / month on'],
  ])('asks first: %s', async (title, scheduled, said) => {
    plans = [aPlan(scheduled), aGospelPlan()];
    const { user } = open('sub_faith');
    const dialog = await screen.findByRole('dialog', { name: title });
    expect(dialog).toHaveTextContent(said);
    await user.click(within(dialog).getByRole('button', { name: 'Not now' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('does it once it is confirmed, and says what that costs', async () => {
    plans = [aPlan(ENDING)];
    const asked: unknown[] = [];
    server.use(
      http.post(CANCELLATION, async ({ request }) => {
        asked.push(await request.json());
        plans = [aPlan()];
        return HttpResponse.json({ plans });
      }),
    );
    const { user } = open('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(asked).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(await screen.findByText(/^Its next bill/)).toHaveTextContent(
      'Its next bill comes on December 10, 2026, at $6.99 / month before discounts and taxes.',
    );
  });

  it('stays and says what failed', async () => {
    plans = [aPlan(ENDING)];
    server.use(http.post(CANCELLATION, () => refusal(409, 'invalid_state', 'It has ended.')));
    const { user } = open('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByRole('alert')).toHaveTextContent('It has ended.');
  });

  it.each([
    ['sub_faith', 'Faith & Family goes on as it is: nothing is scheduled for it.'],
    ['sub_gospel', 'Gospel TV is paused. You can resume it from your account.'],
    ['sub_elsewhere', 'You are signed in as ava@example.com.'],
  ])('says so where nothing is left to take back: %s', async (subId, said) => {
    plans = [aPlan(), aGospelPlan(PAUSED)];
    const { user } = open(subId);
    const dialog = await screen.findByRole('dialog', {
      name: 'There is nothing left to take back',
    });
    expect(dialog).toHaveTextContent(said);
    await user.click(within(dialog).getByRole('button', { name: 'Go to your account' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });
});

describe('the receipt', () => {
  const state = toReceipt(['You can watch it until December 4, 2026.'], [aPlan(ENDING)]);
  const open = () => renderScreen(<DashboardPage />, { at: '/dashboard', state });
  const receipt = () => screen.queryByText(/^You can watch it until/);

  it('stays until it is dismissed', async () => {
    plans = [aPlan(ENDING)];
    const { user } = open();
    await card('Faith & Family');
    expect(receipt()).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    await waitFor(() => expect(receipt()).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('says nothing that is no longer so', async () => {
    open();
    await card('Faith & Family');
    expect(receipt()).not.toBeInTheDocument();
  });
});

describe('the activity', () => {
  const panel = () => screen.findByRole('region', { name: 'Activity' });
  const done = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      at: `2026-11-${20 - index}T15:05:00Z`,
      kind: 'paused',
      text: `Done ${index + 1}`,
      actor: index === 0 ? 'support' : 'you',
    }));

  it('says what was done, when and by whom, some at a time', async () => {
    const all = done(7);
    server.use(
      http.get('*/api/account/activity', ({ request }) => {
        const query = new URL(request.url).searchParams;
        const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
        return HttpResponse.json(all.slice(offset, offset + limit));
      }),
    );
    const { user } = show();
    const rows = async () => within(await panel()).getAllByRole('listitem');
    await screen.findByText('Done 1');
    expect(await rows()).toHaveLength(5);
    expect((await rows())[0]).toHaveTextContent(/Done 1Nov 20, 2026, .* · Our support team/);
    await user.click(screen.getByRole('button', { name: 'Show more activity' }));
    expect(await screen.findByText('Done 7')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Show more activity' })).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Activity' })).toHaveFocus();
  });

  it('says so where nothing was done, and where it cannot be read', async () => {
    server.use(
      http.get('*/api/account/activity', () => refusal(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = show();
    const region = within(await panel());
    expect(await region.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(region.getByRole('button', { name: 'Try again' }));
    expect(await region.findByText(/Nothing has been changed yet/)).toBeInTheDocument();
  });
});

describe('the free month', () => {
  const OFFER = '*/api/account/claim-my-offer/estimate';
  const CLAIM = '*/api/account/claim-my-offer';
  let sent: unknown[] = [];

  beforeEach(() => {
    sent = [];
    server.use(http.get(OFFER, () => HttpResponse.json(aFreeMonth())));
  });

  function answerClaim(...refusals: Response[]) {
    server.use(
      http.post(CLAIM, async ({ request }) => {
        sent.push(await request.json());
        return refusals.shift() ?? HttpResponse.json(aFreeMonth({ eligible: false }));
      }),
    );
  }

  const offer = () => screen.findByRole('region', { name: 'A month on us' });

  it('says what it saves and how the bills move, and is claimed once it is confirmed', async () => {
    answerClaim();
    const { user } = show();
    expect(await offer()).toHaveTextContent(
      'You save $6.99 on Faith & Family. Its next bill moves from December 10, 2026 to January 10, 2027.',
    );
    await user.click(screen.getByRole('button', { name: 'Claim my free month' }));
    expect(sent).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const done = await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(done).toHaveFocus();
    expect(sent).toEqual([{ quote: 'quote-1' }]);
    expect(screen.queryByRole('button', { name: /free month/i })).not.toBeInTheDocument();
  });

  it('asks again about figures that have changed', async () => {
    const changed = { ...aFreeMonth({ amountSaved: 799 }), quote: 'quote-2' };
    answerClaim(refusal(409, 'quote_changed', 'The amount has changed.', { extra: changed }));
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    expect(dialog.getByText('$7.99')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(sent).toEqual([{ quote: 'quote-1' }, { quote: 'quote-2' }]);
  });

  it('says in its dialog why it is refused, though it is not offered any more', async () => {
    answerClaim(refusal(409, 'offer_already_claimed', 'You have had a free month.'));
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    server.use(http.get(OFFER, () => HttpResponse.json(aFreeMonth({ eligible: false }))));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' })).toBeDisabled(),
    );
    expect(dialog.getByText('You have had a free month.')).toBeInTheDocument();
    expect(dialog.getByText('$6.99')).toBeInTheDocument();
  });

  it('is not spoken of where one may not have it', async () => {
    server.use(
      http.get(OFFER, () =>
        HttpResponse.json(aFreeMonth({ eligible: false, reason: 'not_monthly' })),
      ),
    );
    show();
    await card('Faith & Family');
    expect(screen.queryByText(/month on us/)).not.toBeInTheDocument();
  });
});

describe('resuming now', () => {
  const FIGURES = { resumeDate: '2026-11-20T12:00:00Z', amountDue: 719, quote: 'quote-1' };
  let asked: { subscriptionId: string[]; quote: string }[] = [];

  function resumed(): Response {
    plans = [aGospelPlan()];
    return HttpResponse.json({ plans });
  }

  function answerResume(...refusals: (() => Response)[]) {
    server.use(
      http.post('*/api/account/resume', async ({ request }) => {
        asked.push((await request.json()) as (typeof asked)[number]);
        return (refusals.shift() ?? resumed)();
      }),
    );
  }

  function answerEstimate(answer: () => Response | Promise<void>) {
    server.use(
      http.get('*/api/account/resume/estimate', ({ request }) => {
        expect(new URL(request.url).search).toBe('?subscriptionId=sub_gospel');
        return answer();
      }),
    );
  }

  beforeEach(() => {
    asked = [];
    plans = [aGospelPlan(PAUSED)];
    answerEstimate(() => HttpResponse.json(FIGURES));
    answerResume();
  });

  async function opened() {
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Resume now Gospel TV' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Resume Gospel TV now?' }));
    return { user, dialog };
  }

  it('shows the amount before it charges it', async () => {
    const { user, dialog } = await opened();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(asked).toEqual([{ subscriptionId: ['sub_gospel'], quote: 'quote-1' }]);
    expect(useSnackbar.getState().content).toBe('Gospel TV has been resumed.');
    expect(await card('Gospel TV')).toHaveTextContent('Active');
    expect(
      await screen.findByText(
        'Gospel TV is active again from today. $7.19 was charged today, taxes included.',
      ),
    ).toBeInTheDocument();
  });

  it('says that the amount is being worked out, and cannot be confirmed before', async () => {
    answerEstimate(() => delay('infinite'));
    const { dialog } = await opened();
    expect(dialog.getByText('Working out what you will pay…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
  });

  it('says so where nothing is charged', async () => {
    answerEstimate(() => HttpResponse.json({ ...FIGURES, amountDue: 0 }));
    const { dialog } = await opened();
    expect(await dialog.findByText(/nothing is charged today/)).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeEnabled();
  });

  it('charges nothing where one changes one’s mind', async () => {
    const { user, dialog } = await opened();
    await user.click(dialog.getByRole('button', { name: 'Not now' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resume now Gospel TV' })).toHaveFocus();
    expect(asked).toEqual([]);
  });

  it('shows the new amount where it has changed, and asks again', async () => {
    answerResume(() =>
      refusal(409, 'quote_changed', 'The amount has changed.', {
        extra: { ...FIGURES, amountDue: 799, quote: 'quote-2' },
      }),
    );
    const { user, dialog } = await opened();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Resume and pay $7.99' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(asked.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  it('says that nothing was changed where the payment fails', async () => {
    answerResume(() =>
      refusal(
        402,
        'payment_processing_failed',
        "We couldn't process your payment, so nothing was changed.",
      ),
    );
    const { user, dialog } = await opened();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('so nothing was changed');
    expect(await card('Gospel TV')).toHaveTextContent('Paused');
  });

  it('charges nothing while the amount is unknown, and asks for it again', async () => {
    answerEstimate(() => refusal(503, 'billing_unavailable', 'Our billing service is away.'));
    const { user, dialog } = await opened();
    expect(await dialog.findByRole('alert')).toHaveTextContent('Our billing service is away.');
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
    answerEstimate(() => HttpResponse.json(FIGURES));
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByRole('button', { name: 'Resume and pay $7.19' })).toBeEnabled();
  });
});
