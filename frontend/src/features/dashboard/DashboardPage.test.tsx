import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { billingNow } from '@/lib/clock';
import { useLoader } from '@/stores/loader';
import {
  ENDING,
  makeFailedPayment,
  makeGospelPlan,
  makeInvoice,
  makeKidsPlan,
  makeManagePlans,
  makeOfferedPlan,
  makePaymentFailure,
  makePayments,
  makePlan,
  makeSite,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import { findCard, renderDashboard, serveDashboard, served } from './dashboardWorld';

beforeEach(serveDashboard);

describe('the dashboard', () => {
  // shows: dashboard-1, api-5
  it('shows each subscription with price, status and what comes next', async () => {
    served.plans = [makePlan(), makeGospelPlan(PAUSED)];
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
    served.plans = [
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
    expect(screen.queryByRole('link', { name: 'Redeem your code' })).not.toBeInTheDocument();
  });

  it('shows a subscription that has not started as such', async () => {
    served.plans = [makePlan({ status: 'IN_TRIAL', startsAt: '2026-12-01T15:00:00Z' })];
    renderDashboard();
    const card = await findCard('Faith & Family');
    expect(within(card).getByText('Not started')).toBeVisible();
    expect(card).toHaveTextContent('StartsDecember 1, 2026');
    expect(card).not.toHaveTextContent(/trial/i);
  });

  // shows: rule-15
  it('starts with what comes next', async () => {
    served.plans = [makePlan(), makeGospelPlan(PAUSED)];
    renderDashboard();
    expect(await screen.findByText(/^Gospel TV resumes/)).toHaveTextContent(
      'Gospel TV resumes automatically on December 2, 2026.',
    );
  });

  // shows: dashboard-4
  it('adds up what the next period costs', async () => {
    served.plans = [makePlan(), makeGospelPlan(), makeKidsPlan(PAUSED)];
    served.costs = { bundleSavings: 150, total: 1348 };
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

  it('has no empty line below its heading if nothing comes next', async () => {
    served.plans = [];
    renderDashboard();
    expect(await screen.findByRole('heading', { name: 'No subscriptions yet' })).toBeVisible();
    expect(screen.getByRole('heading', { level: 1 }).nextElementSibling).toBeNull();
  });

  it('adds up nothing if every subscription ends', async () => {
    served.plans = [makePlan(ENDING)];
    served.costs = { total: 0 };
    renderDashboard();
    expect(await findCard('Faith & Family')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Your costs' })).not.toBeInTheDocument();
  });

  // shows: money-3
  it('writes the period beside each price if the periods differ', async () => {
    served.plans = [
      makePlan(),
      makePlan({ subId: 'sub_sermons', name: 'Sermon Library', amount: 1197, period: 3 }),
    ];
    const quarterly = { ...makeManagePlans(), period: 3, total: 1197 };
    served.costs = { total: 699, otherTotals: [quarterly] };
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
    served.invoices = ['4', '3', '2', '1'].map((number) =>
      makeInvoice({ number, transactionDate: `2026-0${number}-10T15:00:00Z` }),
    );
    renderDashboard();
    const panel = within(await screen.findByRole('region', { name: 'Latest invoices' }));
    expect((await panel.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([
      'Download invoice 4 of Apr 10, 2026Faith & Family$6.99 USDPAID',
      'Download invoice 3 of Mar 10, 2026Faith & Family$6.99 USDPAID',
      'Download invoice 2 of Feb 10, 2026Faith & Family$6.99 USDPAID',
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
    served.plans = [makePlan(), makeGospelPlan(PAUSED), makeKidsPlan(ENDING)];
    renderDashboard();
    await findCard('Faith & Family');
    const links = screen.getAllByRole('link', { name: /^Cancel (?!Subscriptions)/ });
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Cancel Faith & Family', '/cancelAll?ids=sub_faith'],
      ['Cancel Gospel TV', '/cancelAll?ids=sub_gospel'],
    ]);
  });

  it('offers no pause if nothing can be paused', async () => {
    served.plans = [makePlan({ status: 'NON_RENEWING', cancelAt: '2026-12-04T15:00:00Z' })];
    renderDashboard();
    expect(await findCard('Faith & Family')).toHaveTextContent('Access endsDecember 4, 2026');
    expect(screen.queryByRole('link', { name: /Pause/ })).not.toBeInTheDocument();
  });
});

describe('an account with a failed payment', () => {
  // shows: dashboard-22
  it('says what is owed, why, and when it is tried again, and offers to pay', async () => {
    served.plans = [makePlan({ subId: 'sub_faith' }), makeGospelPlan()];
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

  it.each([
    ['ends', ENDING],
    ['pauses', { ...PAUSE_SCHEDULED, pauseDate: '2026-12-04T15:00:00Z' }],
  ])('promises no watching until a try after the plan %s', async (_what, scheduled) => {
    served.plans = [makePlan(scheduled)];
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment({ nextRetryAt: '2026-12-06T15:00:00Z' })],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderDashboard();
    expect(await screen.findByText(/We’ll try again on December 6, 2026\.$/)).toBeVisible();
  });

  it.each([
    ['today', 0],
    ['soon', 2],
  ])('says that it is tried again %s if that was to be %i days ago', async (when, days) => {
    const nextRetryAt = new Date(billingNow().getTime() - days * 24 * 60 * 60 * 1000).toISOString();
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment({ nextRetryAt })],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderDashboard();
    const sentences = `We’ll try again ${when}. You can keep watching.`;
    expect(await screen.findByText((text) => text.endsWith(sentences))).toBeVisible();
  });
});

describe('an account without subscriptions', () => {
  // shows: dashboard-21
  it('shows the services with their prices, and leads over adding a card to the confirmation', async () => {
    served.plans = [];
    served.invoices = [];
    served.costs = { ...served.costs, existingPlans: [], plans: [makeOfferedPlan()] };
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
    expect(screen.getByRole('region', { name: 'Activity' })).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Make a change' })).not.toBeInTheDocument();
  });

  // shows: dashboard-21
  it('shows the service of the brand before the others', async () => {
    const offered = ['faith-family', 'gospel-tv', 'kids'].map((service) =>
      makeOfferedPlan({ id: service, name: service, service }),
    );
    served.plans = [];
    served.costs = { ...served.costs, existingPlans: [], plans: offered };
    const site = makeSite();
    server.use(
      http.get('*/api/site', () =>
        HttpResponse.json({ ...site, brand: { ...site.brand, code: 'gospel-TV' } }),
      ),
    );
    renderDashboard();
    const services = await screen.findByRole('list', { name: 'Services you can start' });
    const names = () =>
      within(services)
        .getAllByRole('heading')
        .map(({ textContent }) => textContent);
    await waitFor(() => expect(names()).toEqual(['gospel-tv', 'faith-family', 'kids']));
  });

  // shows: dashboard-23
  it('starts a service by the year if that is chosen', async () => {
    served.plans = [];
    served.costs = { ...served.costs, existingPlans: [], plans: [makeOfferedPlan()] };
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
    served.plans = [];
    served.costs = {
      ...served.costs,
      existingPlans: [],
      plans: [makeOfferedPlan({ otherPeriodAmount: null })],
    };
    renderDashboard();
    const start = await screen.findByRole('link', { name: 'Start Kids' });
    expect(start).toHaveAttribute('href', '/manage-subscription?add=Minno-Plan&confirm=yes');
    expect(screen.queryByText(/year/)).not.toBeInTheDocument();
  });

  it('shows ended plans with links to restart them at today’s price, and invoices', async () => {
    served.plans = [
      makePlan({ status: 'CANCELLED', cancelAt: '2026-05-04T15:00:00Z' }),
      makeKidsPlan({ id: 'Minno', status: 'CANCELLED', cancelAt: '2026-04-04T15:00:00Z' }),
    ];
    served.costs = {
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
      '/manage-subscription?add=faith-family-plan&confirm=yes',
    );
    expect(await screen.findByText('PAID')).toBeInTheDocument();
  });

  it('does not deny what is overdue once all subscriptions have ended', async () => {
    served.plans = [makePlan({ status: 'CANCELLED', cancelAt: '2026-05-04T15:00:00Z' })];
    const failure = makePaymentFailure({ failedPayments: [makeFailedPayment()] });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderDashboard();
    expect(
      await screen.findByText(
        'You won’t be billed again, except for the $6.99 you still owe. Your invoices are still here.',
      ),
    ).toBeVisible();
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
