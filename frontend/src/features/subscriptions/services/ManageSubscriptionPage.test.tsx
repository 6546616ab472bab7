import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { useLocation } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ManagePlans, Plan, ServicesChange } from '@/lib/api/types';
import { useCart } from '@/stores/cart';
import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import {
  ENDING,
  MONTHLY_DOLLARS,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makeOfferedPlan,
  makePayments,
  makePeriodEstimate,
  makePlan,
  makeServicesChange,
  PAUSED,
  YEARLY,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import ManageSubscriptionPage from './ManageSubscriptionPage';

const PLANS = '*/api/account/manage-plans';
const ESTIMATE = '*/api/account/add-remove-service/estimate';
const CHANGE = '*/api/account/add-remove-service';

function renderPage(costs: Partial<ManagePlans> = {}, at = '/manage-subscription') {
  server.use(http.get(PLANS, () => HttpResponse.json(makeManagePlans(costs))));
  const page = (
    <>
      <ManageSubscriptionPage />
      <Query />
    </>
  );
  return renderScreen(page, { at });
}

function Query() {
  return <p data-testid="query">{useLocation().search}</p>;
}

const findTable = () => screen.findByRole('table', { name: 'Your Subscriptions' });
const findCheckbox = (name: string) => screen.findByRole('checkbox', { name });
const readRows = async () =>
  within(await findTable())
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);

const BUNDLE: Partial<ManagePlans> = {
  existingPlans: [makePlan(), makeGospelPlan()],
  plans: [makeOfferedPlan()],
  bundleSavings: 150,
  total: 1348,
};

const KIDS_ADDED = makeServicesChange({
  existingPlans: [makePlan(), makeGospelPlan(), { ...makeKidsPlan(), subId: null }],
  added: ['Minno-Plan'],
  bundleSavings: 360,
  total: 2037,
  dueNow: 764,
  charges: [764],
  nextBills: [
    makeNextBill({ amount: 1537, planNames: ['Faith & Family', 'Gospel TV', 'Kids'] }),
    makeNextBill({
      date: '2027-01-10T15:00:00Z',
      amount: 2037,
      planNames: ['Faith & Family', 'Gospel TV', 'Kids'],
      follows: true,
    }),
  ],
});

const GOSPEL_REMOVED = makeServicesChange({
  existingPlans: [makePlan(), makeGospelPlan(ENDING)],
  removed: ['gospel-tv-plan'],
  effectiveAt: '2026-12-04T15:00:00Z',
});

describe('the plans', () => {
  // shows: subscriptions-1, subscriptions-2, subscriptions-3, subscriptions-4, api-9
  it('are listed with prices, discounts and the total', async () => {
    renderPage({ ...BUNDLE, plans: [], couponDiscount: 500, total: 848 });
    expect(await readRows()).toEqual([
      'Faith & Family$6.99per month',
      'Gospel TV$7.99per month',
      'Coupon Discount-$5.00',
      'Bundle Savings-$1.50',
      'Total Monthly Costs and applicable taxes$8.48',
      'Next bill, December 10, 2026$6.99',
    ]);
  });

  it('include the plan in the URL, checked but not saved', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(KIDS_ADDED)));
    renderPage(BUNDLE, '/manage-subscription?add=Minno-Plan');
    await waitFor(async () => expect(await findCheckbox('Kids')).toBeChecked());
    expect(await findCheckbox('Faith & Family')).toBeChecked();
    expect(await screen.findByText('Starts when you save your changes')).toBeInTheDocument();
  });

  // shows: subscriptions-7, subscriptions-9, data-4
  it('are checked if they renew, and unchecked if they end or can be added', async () => {
    renderPage({
      existingPlans: [makePlan(), makeGospelPlan(ENDING), makeKidsPlan({ status: 'CANCELLED' })],
      plans: [makeOfferedPlan()],
    });
    expect(await findCheckbox('Faith & Family')).toBeChecked();
    expect(await findCheckbox('Gospel TV')).not.toBeChecked();
    expect(await findCheckbox('Gospel TV')).toHaveAccessibleDescription(
      /^Your access to Gospel TV will end at the end of your billing cycle, December 4, 2026 ?\.$/,
    );
    expect(await findCheckbox('Kids')).not.toBeChecked();
    expect(useCart.getState()).toMatchObject({
      planLoaded: true,
      items: ['faith-family-plan'],
      initialPlans: ['faith-family-plan'],
      isYealyPlan: false,
      total: 699,
    });
  });

  // shows: subscriptions-4
  it('have a total for each billing period', async () => {
    renderPage({
      existingPlans: [makePlan(), makeGospelPlan({ ...YEARLY, amount: 7999 })],
      otherTotals: [
        {
          ...MONTHLY_DOLLARS,
          periodUnit: 'year',
          total: 7199,
          bundleSavings: 800,
          couponDiscount: 0,
        },
      ],
    });
    expect((await readRows()).slice(2, -1)).toEqual([
      'Total Monthly Costs and applicable taxes$6.99',
      'Bundle Savings-$8.00',
      'Total Yearly Costs and applicable taxes$71.99',
    ]);
  });

  // shows: rule-19
  it('list a plan outside the catalog, which cannot be changed', async () => {
    const magazine = makePlan({
      id: 'magazine',
      subId: 'sub_magazine',
      name: 'The Magazine',
      service: '',
      amount: 250,
      currencyCode: 'EUR',
      periodUnit: 'week',
      isChangeable: false,
    });
    renderPage({ existingPlans: [makePlan(), magazine] });
    const box = await findCheckbox('The Magazine');
    expect(box).toBeChecked();
    expect(box).toBeDisabled();
    expect(screen.getByText(/The Magazine can’t be changed here, only canceled\./)).toBeVisible();
    expect(screen.getByText('€2.50')).toBeVisible();
    expect(screen.getByText('per week')).toBeVisible();
  });

  // shows: subscriptions-6
  it('link to streaming in a new tab if they can be watched', async () => {
    renderPage({ existingPlans: [makePlan(), makeGospelPlan(PAUSED)] });
    const start = await screen.findByRole('link', { name: /Start streaming Faith & Family/ });
    expect(start).toHaveAttribute('href', 'https://faith-family.example.com/');
    expect(start).toHaveAttribute('target', '_blank');
    expect(screen.queryByRole('link', { name: /Start streaming Gospel/ })).not.toBeInTheDocument();
  });

  it('are followed by links to the possible changes', async () => {
    renderPage({ existingPlans: [makePlan()] });
    const links = within(await screen.findByRole('region', { name: 'Change your billing' }));
    expect(links.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '/manage-subscription/upgrade',
      '/coupon',
      '/cancelAll',
    ]);
  });

  // shows: coupon-6
  it.each<[string, Plan[]]>([
    ['if all end', [makePlan(ENDING)]],
    ['without one', []],
  ])('have no other change %s, such as a code without a bill', async (_case, existingPlans) => {
    renderPage({ existingPlans, plans: [makeOfferedPlan()] });
    await screen.findByRole('checkbox', { name: /Kids/ });
    expect(screen.queryByRole('region', { name: 'Change your billing' })).not.toBeInTheDocument();
  });

  it('show an empty state without plans', async () => {
    renderPage({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });

  // shows: subscriptions-1
  it('load under the overlay, show a failure, and retry', async () => {
    server.use(
      http.get(PLANS, () => errorResponse(500, 'internal_error', 'Something broke.'), {
        once: true,
      }),
      http.get(PLANS, () => HttpResponse.json(makeManagePlans())),
    );
    const { user } = renderScreen(<ManageSubscriptionPage />, { at: '/manage-subscription' });
    expect(useLoader.getState().pending).toBe(1);
    expect(await screen.findByRole('alert')).toHaveTextContent('Something broke.');
    expect(useLoader.getState().pending).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await findTable()).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Manage Subscriptions' })).toHaveFocus();
  });

  // shows: subscriptions-5, api-14
  it('show a preview of a downgrade if the URL asks for it', async () => {
    server.use(
      http.get('*/api/account/downgrade/estimate', () =>
        HttpResponse.json(
          makePeriodEstimate({ isImmediate: false, effectiveAt: '2027-02-01T15:00:00Z' }),
        ),
      ),
    );
    renderPage(
      { existingPlans: [makePlan(YEARLY)], periodUnit: 'year' },
      '/manage-subscription?action=downgrade',
    );
    expect(await readRows()).toContain('Total Monthly Costs and applicable taxes$6.99');
    expect(screen.getByText('Starting February 1, 2027')).toBeInTheDocument();
    expect(await findCheckbox('Faith & Family')).toBeDisabled();
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Choose what to downgrade' })).toBeInTheDocument();
  });

  it('offer no downgrade in the preview if nothing can be downgraded', async () => {
    server.use(
      http.get('*/api/account/downgrade/estimate', () =>
        HttpResponse.json({ code: 'no_change', message: 'Nothing changes.' }, { status: 409 }),
      ),
    );
    renderPage({ existingPlans: [makePlan()] }, '/manage-subscription?action=downgrade');
    expect(await screen.findByText(/^Nothing to downgrade/)).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'See your subscriptions' })).toHaveAttribute(
      'href',
      '/manage-subscription',
    );
    expect(screen.queryByRole('link', { name: /downgrade/ })).not.toBeInTheDocument();
  });
});

describe('choosing', () => {
  let estimated: string[][] = [];

  function answerEstimate(...answers: ServicesChange[]) {
    server.use(
      http.post(ESTIMATE, async ({ request }) => {
        estimated.push(((await request.json()) as { planIds: string[] }).planIds);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        return HttpResponse.json(answer);
      }),
    );
  }

  beforeEach(() => {
    estimated = [];
    answerEstimate(KIDS_ADDED);
  });

  // shows: api-10
  it('shows the current, due and new amounts, and the old figures while loading', async () => {
    const { user } = renderPage(BUNDLE);
    await user.click(await findCheckbox('Kids'));
    expect(await readRows()).toContain('Total Monthly Costs and applicable taxes$13.48');
    const amounts = await screen.findAllByRole('definition');
    expect(amounts.map((amount) => amount.textContent)).toEqual([
      '$13.48 / month',
      '$7.64',
      '$15.37',
      '$20.37 / month',
    ]);
    // The bills are listed once.
    expect((await readRows()).at(-1)).toBe('Total Monthly Costs and applicable taxes$20.37');
    expect(estimated).toEqual([['faith-family-plan', 'gospel-tv-plan', 'Minno-Plan']]);
    expect(useCart.getState()).toMatchObject({ total: 2037, bundleSavings: 360 });
  });

  // shows: rule-21
  it('says when the next bill comes after a removal', async () => {
    answerEstimate(GOSPEL_REMOVED);
    const { user } = renderPage(BUNDLE);
    await user.click(await findCheckbox('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      /^Next bill, December 10, 2026$/,
    );
  });

  // shows: rule-21
  it('says that nothing will be billed if so', async () => {
    answerEstimate({ ...GOSPEL_REMOVED, nextBills: [] });
    const { user } = renderPage(BUNDLE);
    await user.click(await findCheckbox('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      'You won’t be billed again.',
    );
  });

  it('debounces the estimate, and requests none if nothing differs', async () => {
    const { user } = renderPage(BUNDLE);
    const kids = await findCheckbox('Kids');
    // Without a pause between them, which on a busy machine may be longer than the delay.
    fireEvent.click(kids);
    expect(kids).toBeChecked();
    fireEvent.click(kids);
    expect(kids).not.toBeChecked();
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Select a service to add or remove first.',
      severity: 'warning',
    });
    expect(screen.queryByRole('definition')).not.toBeInTheDocument();
    expect(estimated).toEqual([]);
  });

  it('keeps the last plan checked, says why, and links to canceling', async () => {
    const { user } = renderPage();
    await user.click(await findCheckbox('Faith & Family'));
    expect(await findCheckbox('Faith & Family')).toBeChecked();
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent('Keep at least one service, or cancel everything.');
    expect(within(alert).getByRole('link', { name: 'Cancel everything' })).toHaveAttribute(
      'href',
      '/cancelAll',
    );
  });

  it('shows the server’s message if the estimate is refused', async () => {
    server.use(
      http.post(ESTIMATE, () => errorResponse(409, 'invalid_state', 'Kids cannot be added now.')),
    );
    const { user } = renderPage(BUNDLE);
    await user.click(await findCheckbox('Kids'));
    await waitFor(() =>
      expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toContain(
        'Kids cannot be added now.',
      ),
    );
  });
});

describe('saving', () => {
  let sent: { planIds: string[]; quote: string }[] = [];
  let answers: (() => Response | Promise<Response>)[] = [];

  beforeEach(() => {
    sent = [];
    answers = [];
    server.use(
      http.post(ESTIMATE, () => HttpResponse.json(KIDS_ADDED)),
      http.post(CHANGE, async ({ request }) => {
        sent.push((await request.json()) as (typeof sent)[number]);
        const answer = answers.shift() ?? (() => HttpResponse.json(KIDS_ADDED));
        return answer();
      }),
    );
  });

  async function openSaveDialog(name = 'Kids') {
    const { user } = renderPage(BUNDLE);
    await user.click(await findCheckbox(name));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Save your changes?' }));
    return { user, dialog };
  }

  // shows: api-11
  it('charges nothing before confirmation, and then once', async () => {
    const { user, dialog } = await openSaveDialog();
    const confirm = await dialog.findByRole('button', { name: 'Yes, add Kids and pay $7.64' });
    expect(dialog.getByText('You’re adding Kids.')).toBeInTheDocument();
    expect(dialog.queryByRole('heading', { name: 'Warning' })).not.toBeInTheDocument();
    expect(sent).toEqual([]);
    await user.dblClick(confirm);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=adjust_subscription',
    );
    expect(sent).toEqual([
      { planIds: ['faith-family-plan', 'gospel-tv-plan', 'Minno-Plan'], quote: 'quote-1' },
    ]);
    expect(useCart.getState().planLoaded).toBe(false);
  });

  it('warns about a removal with plan and date', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(GOSPEL_REMOVED)));
    answers = [() => HttpResponse.json(GOSPEL_REMOVED)];
    const { user, dialog } = await openSaveDialog('Gospel TV');
    const confirm = await dialog.findByRole('button', { name: 'Yes, remove Gospel TV' });
    expect(dialog.getByRole('heading', { name: 'Warning' })).toBeInTheDocument();
    expect(
      dialog.getByText(
        'Your access to Gospel TV will end at the end of your billing cycle, December 4, 2026.',
      ),
    ).toBeInTheDocument();
    await user.click(confirm);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=remove_service',
    );
  });

  it('cannot be confirmed while the figures load', async () => {
    server.use(http.post(ESTIMATE, () => delay('infinite')));
    const { dialog } = await openSaveDialog();
    expect(dialog.getByText('Calculating your total…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'YES, SAVE' })).toBeDisabled();
  });

  it('shows changed figures and asks again', async () => {
    answers = [
      () =>
        errorResponse(409, 'quote_changed', 'The amount has changed.', {
          extra: { ...KIDS_ADDED, dueNow: 899, quote: 'quote-2' },
        }),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Yes, add Kids and pay $8.99' }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  // shows: client-7
  it('opens the payment failure dialog, keeps the selection and allows a retry', async () => {
    answers = [
      () => errorResponse(402, 'payment_processing_failed', "We couldn't process your payment."),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    expect(failed.getByText("We couldn't process your payment.")).toBeInTheDocument();
    expect(failed.getByRole('link', { name: /Contact Customer Service/ })).toBeInTheDocument();
    await user.click(failed.getByRole('button', { name: 'Try again' }));
    expect(screen.queryByRole('dialog', { name: 'Payment Failed' })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Yes, add Kids and pay $7.64' }));
    await screen.findByTestId('elsewhere');
    expect(sent).toHaveLength(2);
  });

  // shows: rule-20
  it('leads to the bank of the default card after its decline', async () => {
    server.use(http.get('*/api/payments/', () => HttpResponse.json(makePayments())));
    answers = [
      () => errorResponse(402, 'payment_processing_failed', "We couldn't process your payment."),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    await user.click(await failed.findByRole('button', { name: 'Confirm with your bank' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/update-card-payment-method?operationType=SETPRIMARY&paymentSourceId=pm_visa',
    );
  });

  it('says when the change was already made in another tab', async () => {
    answers = [() => errorResponse(409, 'no_change', 'There’s nothing to change.')];
    const { user, dialog } = await openSaveDialog();
    server.use(
      http.get(PLANS, () =>
        HttpResponse.json(
          makeManagePlans({
            existingPlans: [makePlan(), makeGospelPlan(), makeKidsPlan()],
            total: 2037,
          }),
        ),
      ),
    );
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText(/This is already done/)).toBeInTheDocument();
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
    expect(await findCheckbox('Kids')).toBeChecked();
  });

  it('repeats the same change after a lost connection', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post(CHANGE, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'));
        return keys.length === 1 ? HttpResponse.error() : HttpResponse.json(KIDS_ADDED);
      }),
    );
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByRole('alert')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: /pay \$7.64/ }));
    await screen.findByTestId('elsewhere');
    expect(keys[1]).toBe(keys[0]);
  });

  it('shows a partial change, and offers to finish it', async () => {
    answers = [
      () => errorResponse(502, 'billing_partial', 'Kids was added, Gospel TV is still there.'),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText(/Gospel TV is still there/)).toBeInTheDocument();
    const finish = dialog.getByRole('button', { name: 'YES, FINISH' });
    await waitFor(() => expect(finish).toBeEnabled());
    await user.click(finish);
    await screen.findByTestId('elsewhere');
  });
});

describe('a first purchase', () => {
  const OFFER: Partial<ManagePlans> = {
    existingPlans: [],
    plans: [
      makeOfferedPlan(),
      makeOfferedPlan({
        ...makeGospelPlan(),
        status: null,
        subId: null,
        otherPeriodAmount: 7999,
      } as object),
    ],
    total: 0,
  };
  const BY_YEAR = makeServicesChange({
    existingPlans: [{ ...makeKidsPlan(YEARLY), subId: null }],
    added: ['Minno-Plan'],
    dueNow: 8999,
    charges: [8999],
    nextBills: [makeNextBill({ amount: 8999, periodUnit: 'year' })],
  });

  // shows: subscriptions-10
  it('starts by the year, with the figures of a year', async () => {
    const sent: object[] = [];
    server.use(
      http.post(ESTIMATE, async ({ request }) => {
        sent.push((await request.json()) as object);
        return HttpResponse.json(BY_YEAR);
      }),
      http.post(CHANGE, async ({ request }) => {
        sent.push((await request.json()) as object);
        return HttpResponse.json(BY_YEAR);
      }),
    );
    const { user } = renderPage(OFFER);
    const services = await screen.findByRole('list', { name: 'Services you can start' });
    expect(services).toHaveTextContent('$8.99 / month or $89.99/year');
    await user.click(screen.getByRole('radio', { name: /^Annually/ }));
    await waitFor(() => expect(services).toHaveTextContent('$89.99 / year or $8.99/month'));
    await user.click(await findCheckbox('Start Kids'));
    await user.click(screen.getByRole('button', { name: 'SAVE CHANGES' }));
    const confirm = { name: 'Yes, add Kids and pay $89.99' };
    const button = await screen.findByRole('button', confirm);
    expect(screen.getByRole('dialog')).toHaveTextContent('charged to Visa ending in 1111');
    await user.click(button);
    await screen.findByTestId('elsewhere');
    expect(sent).toEqual([
      { planIds: ['Minno-Plan'], periodUnit: 'year' },
      { planIds: ['Minno-Plan'], periodUnit: 'year', quote: 'quote-1' },
    ]);
  });

  it('keeps the period in the URL, and a plan can be left out again', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(BY_YEAR)));
    const { user } = renderPage(OFFER, '/manage-subscription?add=Minno-Plan&period=year');
    expect(await screen.findByRole('radio', { name: /^Annually/ })).toBeChecked();
    await user.click(await findCheckbox('Start Kids'));
    expect(await findCheckbox('Start Kids')).not.toBeChecked();
    expect(screen.queryByText(/Keep at least one service/)).not.toBeInTheDocument();
  });

  it('has no choice of a period beside a live plan', async () => {
    renderPage({ ...BUNDLE }, '/manage-subscription?period=year');
    await findTable();
    expect(screen.queryByRole('radio')).not.toBeInTheDocument();
  });
});

describe('plans that the URL asks to add', () => {
  const NOTHING_HELD: Partial<ManagePlans> = { existingPlans: [], plans: [makeOfferedPlan()] };
  const ESTIMATED = makeServicesChange({
    existingPlans: [{ ...makeKidsPlan(), subId: null }],
    added: ['Minno-Plan'],
    dueNow: 899,
  });

  beforeEach(() => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(ESTIMATED)));
  });

  // shows: dashboard-21
  it('lead to a card first if there is nothing to charge', async () => {
    server.use(
      http.get('*/api/payments/', () => HttpResponse.json(makePayments({ card: [], paypal: [] }))),
    );
    renderPage(NOTHING_HELD, '/manage-subscription?add=Minno-Plan');
    expect(await findCheckbox('Start Kids')).toBeChecked();
    expect(await screen.findByRole('link', { name: 'Add a card and start Kids' })).toHaveAttribute(
      'href',
      '/add-card-payment-method?operationType=ADD&add=Minno-Plan&period=month',
    );
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
  });

  // shows: dashboard-21
  it('are confirmed at once if the URL asks for it, and only once', async () => {
    const { user } = renderPage(NOTHING_HELD, '/manage-subscription?add=Minno-Plan&confirm=yes');
    const dialog = await screen.findByRole('dialog', { name: 'Save your changes?' });
    expect(
      await within(dialog).findByRole('button', { name: 'Yes, add Kids and pay $8.99' }),
    ).toBeEnabled();
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(await findCheckbox('Start Kids')).toBeChecked();
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('are not confirmed again by a reload once the confirmation was closed', async () => {
    const { user } = renderPage(NOTHING_HELD, '/manage-subscription?add=Minno-Plan&confirm=yes');
    const dialog = await screen.findByRole('dialog', { name: 'Save your changes?' });
    // A reload while it is open asks again.
    expect(screen.getByTestId('query')).toHaveTextContent('?add=Minno-Plan&confirm=yes');
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    await waitFor(() =>
      expect(screen.getByTestId('query')).toHaveTextContent(/^\?add=Minno-Plan$/),
    );
  });

  it('are not confirmed if they are no longer offered', async () => {
    renderPage(
      { existingPlans: [makeKidsPlan()], plans: [] },
      '/manage-subscription?add=Minno-Plan&confirm=yes',
    );
    expect(await findCheckbox('Kids')).toBeChecked();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});
