import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReceiptState } from '@/domain/changes/receipts';
import type { Invoice, ManagePlans, Plan } from '@/lib/api/types';
import { useLoader } from '@/stores/loader';
import {
  CHANGING,
  ENDING,
  makeAccount,
  makeFailedPayment,
  makeFreeMonth,
  makeGospelPlan,
  makeInvoice,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makeOfferedPlan,
  makePaymentFailure,
  makePayments,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import DashboardPage from './DashboardPage';

let plans: Plan[] = [];
let invoices: Invoice[] = [];
let costs: Partial<ManagePlans> = {};

beforeEach(() => {
  plans = [makePlan()];
  invoices = [makeInvoice()];
  costs = {};
  server.use(
    http.get('*/api/account', () => HttpResponse.json(makeAccount({ plans }))),
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: plans, ...costs })),
    ),
    http.get('*/api/invoice/list', () => HttpResponse.json(invoices)),
  );
});

const renderDashboard = (options: { state?: unknown } = {}) =>
  renderScreen(<DashboardPage />, { at: '/dashboard', ...options });
const findCard = (name: string) => screen.findByRole('article', { name });

describe('the dashboard', () => {
  // shows: dashboard-1, api-5
  it('shows each subscription with price, status and what comes next', async () => {
    plans = [makePlan(), makeGospelPlan(PAUSED)];
    renderDashboard();
    const faith = await findCard('Faith & Family');
    expect(faith).toHaveTextContent('$6.99 / month');
    expect(within(faith).getByText('Active')).toBeInTheDocument();
    expect(
      within(faith).getByRole('list', { name: 'Coming up for Faith & Family' }),
    ).toHaveTextContent('Next billDecember 10, 2026');
    const gospel = await findCard('Gospel TV');
    expect(within(gospel).getByText('Paused')).toBeInTheDocument();
    expect(gospel).toHaveTextContent('Resumes automaticallyDecember 2, 2026');
  });

  // shows: rule-19
  it('shows a subscription outside the catalog, which can only be canceled', async () => {
    plans = [
      makePlan({
        id: 'magazine',
        name: 'The Magazine',
        service: '',
        amount: 2500,
        currencyCode: 'EUR',
        period: 3,
        isChangeable: false,
        hasOtherPeriod: false,
      }),
    ];
    renderDashboard();
    const card = await findCard('The Magazine');
    expect(card).toHaveTextContent('€25.00 / 3 months');
    expect(within(card).getByRole('link', { name: 'Cancel The Magazine' })).toBeVisible();
    expect(
      within(card).queryByRole('link', { name: 'Pause The Magazine' }),
    ).not.toBeInTheDocument();
  });

  // shows: rule-15
  it('starts with what comes next', async () => {
    plans = [makePlan(), makeGospelPlan()];
    renderDashboard();
    expect(await screen.findByText(/^Next bill:/)).toHaveTextContent(
      'Next bill: December 10, 2026, for Faith & Family and Gospel TV.',
    );
  });

  // shows: dashboard-4
  it('adds up what the next period costs', async () => {
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan(PAUSED)];
    costs = { bundleSavings: 150, total: 1348 };
    renderDashboard();
    const panel = await screen.findByRole('region', { name: 'Your costs' });
    const terms = within(panel).getAllByRole('term');
    expect(terms.map(({ textContent }) => textContent)).toEqual([
      'Faith & Family',
      'Gospel TV',
      'Bundle Savings',
      'Total Monthly Costs and applicable taxes',
    ]);
    expect(panel).toHaveTextContent('$13.48');
  });

  // shows: money-3
  it('writes the period beside each price if the periods differ', async () => {
    plans = [
      makePlan(),
      makePlan({ subId: 'sub_sermons', name: 'Sermon Library', amount: 1197, period: 3 }),
    ];
    const quarterly = { ...makeManagePlans(), period: 3, total: 1197 };
    costs = { total: 699, otherTotals: [quarterly] };
    renderDashboard();
    const panel = await screen.findByRole('region', { name: 'Your costs' });
    const amounts = within(panel).getAllByRole('definition');
    expect(amounts.map(({ textContent }) => textContent)).toEqual([
      '$6.99 / month',
      '$11.97 / 3 months',
      '$6.99',
      '$11.97',
    ]);
  });

  it('downloads an invoice of the home, and says so', async () => {
    server.use(
      http.get('*/api/invoice/pdf/1001', () =>
        errorResponse(503, 'invoice_not_ready', 'It is being made.', { retryAfter: 3 }),
      ),
    );
    const { user } = renderDashboard();
    const row = await screen.findByRole('button', {
      name: 'Download invoice 1001 of Nov 10, 2026',
    });
    await user.click(row);
    expect(row).toHaveAttribute('aria-busy', 'true');
    expect(screen.getByText('Preparing your invoice…')).toBeInTheDocument();
  });

  // shows: rule-15
  it('shows the three newest invoices, the last payment method used, and a link to all', async () => {
    invoices = ['4', '3', '2', '1'].map((number) =>
      makeInvoice({ number, transactionDate: `2026-0${number}-10T15:00:00Z` }),
    );
    renderDashboard();
    const panel = within(await screen.findByRole('region', { name: 'Latest invoices' }));
    expect((await panel.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([
      'Download invoice 4 of Apr 10, 2026$6.99 USDPAID',
      'Download invoice 3 of Mar 10, 2026$6.99 USDPAID',
      'Download invoice 2 of Feb 10, 2026$6.99 USDPAID',
    ]);
    expect(panel.getByText('Visa ending in 1111')).toBeInTheDocument();
    expect(panel.getByRole('link', { name: 'See your billing history' })).toHaveAttribute(
      'href',
      '/billingHistory',
    );
  });

  // shows: rule-15
  it('links to every change of the subscriptions', async () => {
    renderDashboard();
    const links = within(await screen.findByRole('region', { name: 'Make a change' }));
    expect(
      links.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]),
    ).toEqual([
      ['Manage Subscriptions', '/manage-subscription'],
      ['Upgrade to annual billing', '/manage-subscription/upgrade'],
      ['Redeem your code', '/coupon'],
      ['Pause', '/pause-offer'],
      ['Cancel Subscriptions', '/cancelAll'],
    ]);
  });

  it('links from a subscription to its pause', async () => {
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('link', { name: 'Pause Faith & Family' }));
    expect(screen.getByTestId('elsewhere')).toHaveTextContent('/pause-offer?ids=sub_faith');
  });

  it('links from a subscription to its cancellation, paused or not', async () => {
    plans = [makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(ENDING)];
    renderDashboard();
    await findCard('Faith & Family');
    const links = screen.getAllByRole('link', { name: /^Cancel (?!Subscriptions)/ });
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Cancel Faith & Family', '/cancelAll?ids=sub_faith'],
      ['Cancel Gospel TV', '/cancelAll?ids=sub_gospel'],
    ]);
  });

  it('offers no pause if nothing can be paused', async () => {
    plans = [makePlan({ status: 'NON_RENEWING', cancelAt: '2026-12-04T15:00:00Z' })];
    renderDashboard();
    expect(await findCard('Faith & Family')).toHaveTextContent('Access endsDecember 4, 2026');
    expect(screen.queryByRole('link', { name: /Pause/ })).not.toBeInTheDocument();
  });
});

describe('an account with a failed payment', () => {
  // shows: dashboard-22
  it('says what is owed, why, and when it is tried again, and offers to pay', async () => {
    plans = [makePlan({ subId: 'sub_faith' }), makeGospelPlan()];
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment()],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderDashboard();
    const due = within(
      await screen.findByRole('region', { name: 'You owe $6.99 for Faith & Family' }),
    );
    expect(due.getByText('Visa ending in 1111')).toBeInTheDocument();
    expect(
      due.getByText(
        'There wasn’t enough money in the account. We’ll try again on November 24, 2026. You can keep watching until then.',
      ),
    ).toBeVisible();
    expect(await due.findByRole('link', { name: 'Try this card again' })).toHaveAttribute(
      'href',
      '/update-card-payment-method?operationType=SETPRIMARY&paymentSourceId=pm_visa',
    );
    expect(due.getByRole('link', { name: 'Use another card' })).toHaveAttribute(
      'href',
      '/add-card-payment-method?operationType=ADD',
    );
    expect(await findCard('Faith & Family')).toHaveTextContent('Payment overdue');
    expect(await findCard('Gospel TV')).toHaveTextContent('Active');
  });
});

describe('an account without subscriptions', () => {
  // shows: dashboard-21
  it('shows the services with their prices, and leads over adding a card to the confirmation', async () => {
    plans = [];
    invoices = [];
    costs = { ...costs, existingPlans: [], plans: [makeOfferedPlan()] };
    server.use(
      http.get('*/api/payments/', () => HttpResponse.json(makePayments({ card: [], paypal: [] }))),
    );
    renderDashboard();
    expect(await screen.findByText('No subscriptions yet')).toBeInTheDocument();
    const services = screen.getByRole('list', { name: 'Services you can start' });
    expect(await within(services).findByText('All of Kids')).toBeInTheDocument();
    expect(services).toHaveTextContent('$8.99 / month or $89.99/year');
    expect(
      await within(services).findByRole('link', { name: 'Add a card and start Kids' }),
    ).toHaveAttribute(
      'href',
      '/add-card-payment-method?operationType=ADD&add=Minno-Plan&period=month',
    );
    expect(await screen.findByText(/No invoices yet/)).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Your costs' })).not.toBeInTheDocument();
  });

  // shows: dashboard-23
  it('starts a service by the year if that is chosen', async () => {
    plans = [];
    costs = { ...costs, existingPlans: [], plans: [makeOfferedPlan()] };
    const { user } = renderDashboard();
    expect(await screen.findByRole('radio', { name: 'Monthly' })).toBeChecked();
    await user.click(screen.getByRole('radio', { name: /^Annually Save up to \$17\.89 a year$/ }));
    const services = screen.getByRole('list', { name: 'Services you can start' });
    await waitFor(() => expect(services).toHaveTextContent('$89.99 / year or $8.99/month'));
    expect(within(services).getByRole('link', { name: 'Start Kids' })).toHaveAttribute(
      'href',
      '/manage-subscription?add=Minno-Plan&period=year&confirm=yes',
    );
  });

  // shows: dashboard-21
  it('leads to the confirmation at once if there is a payment method', async () => {
    plans = [];
    costs = { ...costs, existingPlans: [], plans: [makeOfferedPlan({ otherPeriodAmount: null })] };
    renderDashboard();
    const start = await screen.findByRole('link', { name: 'Start Kids' });
    expect(start).toHaveAttribute('href', '/manage-subscription?add=Minno-Plan&confirm=yes');
    expect(screen.queryByText(/year/)).not.toBeInTheDocument();
  });

  it('shows ended plans with links to restart them at today’s price, and invoices', async () => {
    plans = [
      makePlan({ status: 'CANCELLED', cancelAt: '2026-05-04T15:00:00Z' }),
      makeKidsPlan({ id: 'Minno', status: 'CANCELLED', cancelAt: '2026-04-04T15:00:00Z' }),
    ];
    costs = {
      existingPlans: [],
      plans: [
        {
          ...makeOfferedPlan(),
          id: 'faith-family-plan',
          name: 'Faith & Family',
          service: 'faith-family',
        },
      ],
    };
    renderDashboard();
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
  it('shows the overlay, and a failure can be retried', async () => {
    server.use(
      http.get('*/api/account', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = renderDashboard();
    expect(useLoader.getState().pending).toBe(1);
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    expect(useLoader.getState().pending).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await findCard('Faith & Family')).toBeInTheDocument();
  });

  it('shows the rest if only the invoices fail', async () => {
    server.use(
      http.get('*/api/invoice/list', () => errorResponse(500, 'internal_error', 'Broken.')),
    );
    renderDashboard();
    expect(await findCard('Faith & Family')).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
  });
});

describe('canceling a scheduled pause', () => {
  // shows: dashboard-5
  it('restores the subscription, reports it and keeps the focus', async () => {
    plans = [makePlan(PAUSE_SCHEDULED)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-pause', async ({ request }) => {
        requests.push(await request.json());
        plans = [makePlan()];
        return HttpResponse.json({ plans });
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
    plans = [makePlan(given.scheduled)];
    const requests: unknown[] = [];
    server.use(
      http.post(`*/api/account/subscription/${given.path}`, async ({ request }) => {
        requests.push(await request.json());
        plans = [makePlan()];
        return HttpResponse.json({ plans });
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

  it('undoes at once what one press has scheduled', async () => {
    plans = [makePlan(ENDING), makeGospelPlan(ENDING), makeKidsPlan(ENDING)];
    const requests: unknown[] = [];
    server.use(
      http.post('*/api/account/subscription/remove-scheduled-cancellation', async ({ request }) => {
        requests.push(await request.json());
        plans = [makePlan(), makeGospelPlan(), makeKidsPlan(ENDING)];
        return HttpResponse.json({ plans });
      }),
    );
    const state = createReceiptState(['Both end.'], plans, ['sub_faith', 'sub_gospel']);
    const { user } = renderDashboard({ state });
    await user.click(await screen.findByRole('button', { name: 'Undo all' }));
    expect(
      await screen.findByText(
        'Your cancellation was undone. Faith & Family and Gospel TV will renew as usual.',
      ),
    ).toBeVisible();
    expect(requests).toEqual([{ subscriptionId: ['sub_faith', 'sub_gospel'] }]);
    expect(screen.queryByRole('button', { name: 'Undo all' })).toBeNull();
  });

  it('offers no way to undo all after a press for one', async () => {
    plans = [makePlan(ENDING), makeGospelPlan(ENDING)];
    renderDashboard({ state: createReceiptState(['It ends.'], plans, ['sub_faith']) });
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
    plans = [makePlan(scheduled), makeGospelPlan()];
    const { user } = openFromLink('sub_faith');
    const dialog = await screen.findByRole('dialog', { name: title });
    expect(dialog).toHaveTextContent(message);
    await user.click(within(dialog).getByRole('button', { name: 'Not now' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  // shows: dashboard-5, api-27
  it('undoes it after confirmation, and shows the price', async () => {
    plans = [makePlan(ENDING)];
    const requests: unknown[] = [];
    server.use(
      http.post(CANCELLATION, async ({ request }) => {
        requests.push(await request.json());
        plans = [makePlan()];
        return HttpResponse.json({ plans });
      }),
    );
    const { user } = openFromLink('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests).toEqual([{ subscriptionId: ['sub_faith'] }]);
    expect(await screen.findByText(/^Next bill: \$/)).toHaveTextContent(
      'Next bill: $6.99 on December 10, 2026, before discounts and taxes.',
    );
  });

  it('stays open and shows a failure', async () => {
    plans = [makePlan(ENDING)];
    server.use(http.post(CANCELLATION, () => errorResponse(409, 'invalid_state', 'It has ended.')));
    const { user } = openFromLink('sub_faith');
    await user.click(await screen.findByRole('button', { name: 'Keep Faith & Family' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByRole('alert')).toHaveTextContent('It has ended.');
  });

  it.each([
    ['sub_faith', 'Faith & Family continues. Nothing is scheduled for it.'],
    ['sub_gospel', 'Gospel TV is paused. You can resume it from your account.'],
    ['sub_elsewhere', 'You’re signed in as ava@example.com.'],
  ])('says when nothing is left to undo: %s', async (subId, message) => {
    plans = [makePlan(), makeGospelPlan(PAUSED)];
    const { user } = openFromLink(subId);
    const dialog = await screen.findByRole('dialog', {
      name: 'Nothing to undo',
    });
    expect(dialog).toHaveTextContent(message);
    await user.click(within(dialog).getByRole('button', { name: 'Go to your account' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });
});

describe('the receipt', () => {
  const state = createReceiptState(
    ['You can watch it until December 4, 2026.'],
    [makePlan(ENDING)],
  );
  const openWithReceipt = () => renderScreen(<DashboardPage />, { at: '/dashboard', state });
  const receipt = () => screen.queryByText(/^You can watch it until/);

  it('stays until it is dismissed', async () => {
    plans = [makePlan(ENDING)];
    const { user } = openWithReceipt();
    await findCard('Faith & Family');
    expect(receipt()).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    await waitFor(() => expect(receipt()).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('is hidden once it is out of date', async () => {
    openWithReceipt();
    await findCard('Faith & Family');
    expect(receipt()).not.toBeInTheDocument();
  });
});

describe('the activity', () => {
  const findPanel = () => screen.findByRole('region', { name: 'Activity' });
  const makeEntries = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      at: `2026-11-${20 - index}T15:05:00Z`,
      kind: 'paused',
      text: `Done ${index + 1}`,
      actor: index === 0 ? 'support' : 'you',
      mailId: index === 1 ? 7 : null,
    }));

  // shows: dashboard-3, api-34
  it('lists what was done, when and by whom, a page at a time', async () => {
    const all = makeEntries(7);
    server.use(
      http.get('*/api/account/activity', ({ request }) => {
        const query = new URL(request.url).searchParams;
        const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
        return HttpResponse.json(all.slice(offset, offset + limit));
      }),
    );
    const { user } = renderDashboard();
    const findRows = async () => within(await findPanel()).getAllByRole('listitem');
    await screen.findByText('Done 1');
    expect(await findRows()).toHaveLength(5);
    expect((await findRows())[0]).toHaveTextContent(/Done 1Nov 20, 2026, .* · Customer Service/);
    await user.click(screen.getByRole('button', { name: 'Show more activity' }));
    expect(await screen.findByText('Done 7')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Show more activity' })).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Activity' })).toHaveFocus();
  });

  const makeSentMail = () => ({
    sentAt: '2026-11-19T15:06:00Z',
    sentTo: 'ava@example.com',
    title: 'Receipt for Kids: $8.99',
    lines: ['Kids renewed on November 19, 2026.'],
    facts: [{ name: 'Payment method', value: 'Visa ending in 1111' }],
    note: 'Questions? Contact Customer Service.',
    links: [{ text: 'See your invoice', path: '/billingHistory?invoice=12' }],
  });

  // shows: api-62
  it('opens the mail of an entry as it was sent', async () => {
    let requests = 0;
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(makeEntries(3))),
      http.get('*/api/account/mails/7', () => {
        requests += 1;
        return HttpResponse.json(makeSentMail());
      }),
    );
    const { user } = renderDashboard();
    const read = await screen.findByRole('button', { name: 'Read the email “Done 2”' });
    expect(screen.getAllByRole('button', { name: /Read the email/ })).toHaveLength(1);
    expect(requests).toBe(0);
    await user.click(read);
    const dialog = within(await screen.findByRole('dialog', { name: 'Receipt for Kids: $8.99' }));
    expect(dialog.getByText(/^Sent to ava@example.com$/)).toBeInTheDocument();
    expect(dialog.getByText('Kids renewed on November 19, 2026.')).toBeInTheDocument();
    expect(dialog.getByRole('definition')).toHaveTextContent('Visa ending in 1111');
    expect(dialog.getByText('Questions? Contact Customer Service.')).toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'See your invoice' })).toHaveAttribute(
      'href',
      '/billingHistory?invoice=12',
    );
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(read).toHaveFocus();
  });

  it('says that a mail could not be loaded, and tries again', async () => {
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(makeEntries(3))),
      http.get('*/api/account/mails/7', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
      http.get('*/api/account/mails/7', () => HttpResponse.json(makeSentMail())),
    );
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Read the email “Done 2”' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Done 2' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Kids renewed on November 19, 2026.')).toBeInTheDocument();
  });

  it('shows an empty state, and a failure to load', async () => {
    server.use(
      http.get('*/api/account/activity', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = renderDashboard();
    const region = within(await findPanel());
    expect(await region.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(region.getByRole('button', { name: 'Try again' }));
    expect(await region.findByText(/No activity yet/)).toBeInTheDocument();
  });
});

describe('the free month', () => {
  const OFFER = '*/api/account/claim-my-offer/estimate';
  const CLAIM = '*/api/account/claim-my-offer';
  let claims: unknown[] = [];

  beforeEach(() => {
    claims = [];
    server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth())));
  });

  function answerClaim(...refusals: Response[]) {
    server.use(
      http.post(CLAIM, async ({ request }) => {
        claims.push(await request.json());
        return refusals.shift() ?? HttpResponse.json(makeFreeMonth({ eligible: false }));
      }),
    );
  }

  const findOffer = () => screen.findByRole('region', { name: 'A month on us' });

  // shows: api-23, api-24
  it('shows its savings and dates, and is claimed after confirmation', async () => {
    answerClaim();
    const { user } = renderDashboard();
    expect(await findOffer()).toHaveTextContent(
      'You save $6.99 on Faith & Family. Its next bill moves from December 10, 2026 to January 10, 2027.',
    );
    await user.click(screen.getByRole('button', { name: 'Claim my free month' }));
    expect(claims).toEqual([]);
    expect(screen.getByRole('dialog')).toHaveTextContent(
      'Your next bill is $0.00 on December 10, 2026. From January 10, 2027, it is $6.99 / month.',
    );
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const heading = await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(heading).toHaveFocus();
    expect(claims).toEqual([{ quote: 'quote-1' }]);
    expect(screen.queryByRole('button', { name: /free month/i })).not.toBeInTheDocument();
  });

  it('asks again if the figures have changed', async () => {
    const changed = { ...makeFreeMonth({ amountSaved: 799 }), quote: 'quote-2' };
    answerClaim(errorResponse(409, 'quote_changed', 'The amount has changed.', { extra: changed }));
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    expect(dialog.getByText('$7.99')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(claims).toEqual([{ quote: 'quote-1' }, { quote: 'quote-2' }]);
  });

  it('shows a refusal in its dialog although it is no longer offered', async () => {
    answerClaim(errorResponse(409, 'offer_already_claimed', 'You have had a free month.'));
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth({ eligible: false }))));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' })).toBeDisabled(),
    );
    expect(dialog.getByText('You have had a free month.')).toBeInTheDocument();
    expect(dialog.getByText('$6.99')).toBeInTheDocument();
  });

  it('is not mentioned if the subscriber is not eligible', async () => {
    server.use(
      http.get(OFFER, () =>
        HttpResponse.json(makeFreeMonth({ eligible: false, reason: 'not_monthly' })),
      ),
    );
    renderDashboard();
    await findCard('Faith & Family');
    expect(screen.queryByText(/month on us/)).not.toBeInTheDocument();
  });
});

describe('resuming a paused plan', () => {
  const FIGURES = {
    resumeDate: '2026-11-20T12:00:00Z',
    amountDue: 719,
    charges: [719],
    currencyCode: 'USD',
    quote: 'quote-1',
    nextBills: [makeNextBill({ date: '2026-12-20T12:00:00Z', amount: 719 })],
  };
  let requests: { subscriptionId: string[]; quote: string }[] = [];

  function answerResumed(): Response {
    plans = [makeGospelPlan()];
    return HttpResponse.json({ plans });
  }

  function answerResume(...refusals: (() => Response)[]) {
    server.use(
      http.post('*/api/account/resume', async ({ request }) => {
        requests.push((await request.json()) as (typeof requests)[number]);
        return (refusals.shift() ?? answerResumed)();
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
    requests = [];
    plans = [makeGospelPlan(PAUSED)];
    answerEstimate(() => HttpResponse.json(FIGURES));
    answerResume();
  });

  async function openResumeDialog() {
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Resume now Gospel TV' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Resume Gospel TV now?' }));
    return { user, dialog };
  }

  // shows: rule-3, dashboard-2, api-19, api-20
  it('shows the amount before charging it', async () => {
    const { user, dialog } = await openResumeDialog();
    const pay = await dialog.findByRole('button', { name: 'Resume and pay $7.19' });
    expect(dialog.getByText(/^Your next bill/)).toHaveTextContent(
      'Your next bill is $7.19 on December 20, 2026.',
    );
    await user.click(pay);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests).toEqual([{ subscriptionId: ['sub_gospel'], quote: 'quote-1' }]);
    expect(await findCard('Gospel TV')).toHaveTextContent('Active');
    expect(
      await screen.findByText(
        'Gospel TV is active again. $7.19 was charged today, taxes included.',
      ),
    ).toBeInTheDocument();
  });

  it('cannot be confirmed while the amount loads', async () => {
    answerEstimate(() => delay('infinite'));
    const { dialog } = await openResumeDialog();
    expect(dialog.getByText('Calculating your total…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
  });

  it('says when nothing is charged', async () => {
    answerEstimate(() => HttpResponse.json({ ...FIGURES, amountDue: 0, charges: [] }));
    const { dialog } = await openResumeDialog();
    expect(await dialog.findByText(/you won’t be charged today/)).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeEnabled();
  });

  it('charges nothing when dismissed', async () => {
    const { user, dialog } = await openResumeDialog();
    await user.click(dialog.getByRole('button', { name: 'Not now' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resume now Gospel TV' })).toHaveFocus();
    expect(requests).toEqual([]);
  });

  it('shows a changed amount and asks again', async () => {
    answerResume(() =>
      errorResponse(409, 'quote_changed', 'The amount has changed.', {
        extra: { ...FIGURES, amountDue: 799, charges: [799], quote: 'quote-2' },
      }),
    );
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Resume and pay $7.99' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  it('says that nothing was changed if the payment fails', async () => {
    answerResume(() =>
      errorResponse(
        402,
        'payment_processing_failed',
        "We couldn't process your payment, so nothing was changed.",
      ),
    );
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('so nothing was changed');
    expect(await findCard('Gospel TV')).toHaveTextContent('Paused');
    await user.click(await dialog.findByRole('button', { name: 'Confirm with your bank' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('operationType=SETPRIMARY');
  });

  it('charges nothing while the amount is unknown, and retries', async () => {
    answerEstimate(() => errorResponse(503, 'billing_unavailable', 'Our billing service is away.'));
    const { user, dialog } = await openResumeDialog();
    expect(await dialog.findByRole('alert')).toHaveTextContent('Our billing service is away.');
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
    answerEstimate(() => HttpResponse.json(FIGURES));
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByRole('button', { name: 'Resume and pay $7.19' })).toBeEnabled();
  });
});
