import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ManagePlans, PeriodEstimate, Plan } from '@/lib/api/types';
import {
  CHANGING,
  ENDING,
  MONTHLY_DOLLARS,
  makeCard,
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makeOfferedPlan,
  makePaymentFailure,
  makePayments,
  makePeriodEstimate,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
  YEARLY,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import PeriodChangePage from './PeriodChangePage';

const UPGRADED = makePeriodEstimate({
  existingPlans: [makePlan(YEARLY)],
  periodUnit: 'year',
  total: 6999,
  annualSavings: 1389,
  credits: 320,
  dueNow: 6679,
  charges: [6679],
  nextBills: [makeNextBill({ date: '2027-11-20T15:00:00Z', amount: 6999, periodUnit: 'year' })],
});

const DOWNGRADED = makePeriodEstimate({
  isImmediate: false,
  effectiveAt: '2026-12-10T15:00:00Z',
  annualSavings: 1389,
});

let sent: { planIds: string[]; quote: string }[] = [];
let estimated: string[][] = [];

function answerPeriodChange(
  action: 'upgrade' | 'downgrade',
  preview: PeriodEstimate,
  ...refusals: Response[]
) {
  server.use(
    http.get(`*/api/account/${action}/estimate`, ({ request }) => {
      estimated.push(new URL(request.url).searchParams.getAll('planIds'));
      return HttpResponse.json(preview);
    }),
    http.post(`*/api/account/${action}`, async ({ request }) => {
      sent.push((await request.json()) as (typeof sent)[number]);
      return refusals.shift() ?? HttpResponse.json(preview);
    }),
  );
}

function answerPlans(costs: Partial<ManagePlans>) {
  server.use(
    http.get('*/api/account/manage-plans', () => HttpResponse.json(makeManagePlans(costs))),
  );
}

function renderPage(costs: Partial<ManagePlans>, at = '/manage-subscription/upgrade') {
  answerPlans(costs);
  return renderScreen(<PeriodChangePage />, { at });
}

beforeEach(() => {
  sent = [];
  estimated = [];
});

/** The save button, once the estimate has loaded. */
async function findSaveButton(): Promise<HTMLElement> {
  const button = await screen.findByRole('button', { name: 'SAVE CHANGES' });
  await waitFor(() => expect(button).toBeEnabled());
  return button;
}
const findCheckbox = (name: string) => screen.findByRole('checkbox', { name });
const findAmounts = async () =>
  (await screen.findAllByRole('definition')).map(({ textContent }) => textContent);

describe('the plans that cannot be switched', () => {
  it('share a sentence where they share their name and the reason', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    const kids = makeKidsPlan(YEARLY);
    renderPage({ existingPlans: [makePlan(), kids, { ...kids, subId: 'sub_other' }] });
    expect(await screen.findAllByText('Kids is already billed annually.')).toHaveLength(1);
  });

  // shows: period-9
  it.each<[string, 'upgrade' | 'downgrade', Partial<Plan>]>([
    ['Gospel TV is paused. You can switch it once it’s active again.', 'upgrade', PAUSED],
    ['Gospel TV already ends on December 4, 2026.', 'upgrade', ENDING],
    [
      'Gospel TV pauses on December 10, 2026. You can switch it once it’s active again.',
      'upgrade',
      PAUSE_SCHEDULED,
    ],
    ['Gospel TV is already billed monthly.', 'downgrade', { hasUpcomingCoupon: true }],
    [
      'Gospel TV isn’t available with annual billing.',
      'upgrade',
      { hasOtherPeriod: false, hasUpcomingCoupon: true },
    ],
  ])('are named with the reason: %s', async (sentence, action, overrides) => {
    answerPeriodChange(action, UPGRADED);
    const { container } = renderPage(
      {
        existingPlans: [
          makePlan(action === 'downgrade' ? YEARLY : {}),
          makeGospelPlan({ ...overrides }),
        ],
      },
      `/manage-subscription/${action}`,
    );
    await waitFor(() => expect(container).toHaveTextContent(sentence));
  });
});

describe('an account without subscriptions', () => {
  it.each(['upgrade', 'downgrade'])('is led to where one starts: %s', async (action) => {
    renderPage({ existingPlans: [], plans: [makeOfferedPlan()] }, `/manage-subscription/${action}`);
    expect(await screen.findByText('No subscriptions')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Add a service' })).toHaveAttribute(
      'href',
      '/manage-subscription',
    );
  });
});

describe('upgrading', () => {
  // shows: period-1, period-4, period-5, api-12
  it('shows the savings, the credit, and the costs before and after', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    renderPage({});
    const rows = within(await screen.findByRole('table')).getAllByRole('row');
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      'Faith & Family$69.99per year',
      'Now $6.99 / month',
      'You save $13.89 in annual cost',
      'Total Yearly Costs and applicable taxes$69.99',
    ]);
    expect(screen.getByText(/for the remaining days of your monthly/)).toHaveTextContent(
      'Your total is $69.99 per year. You get a credit of $3.20 for the remaining days of your monthly subscription.',
    );
    expect(await findAmounts()).toEqual(['$6.99 / month', '$66.79', '$69.99']);
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeChecked();
  });

  // shows: period-6, api-13
  it('names the yearly total of the currency that is charged', async () => {
    const year = {
      ...MONTHLY_DOLLARS,
      periodUnit: 'year',
      bundleSavings: 0,
      couponDiscount: 0,
    } as const;
    answerPeriodChange('upgrade', {
      ...UPGRADED,
      periodUnit: 'month',
      otherTotals: [
        { ...year, total: 4000, currencyCode: 'EUR' },
        { ...year, total: 9000, period: 2 },
        { ...year, total: 6999 },
      ],
    });
    renderPage({});
    expect(await screen.findByText(/^Your total is/)).toHaveTextContent(
      'Your total is $69.99 per year.',
    );
  });

  it('charges the confirmed amount and goes to the summary', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    const { user } = renderPage({});
    await user.click(await findSaveButton());
    const dialog = within(screen.getByRole('dialog', { name: 'Upgrade to annual billing?' }));
    await user.click(await dialog.findByRole('button', { name: 'YES, UPGRADE AND PAY $66.79' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary?action=upgrade');
    expect(sent).toEqual([{ planIds: ['faith-family-plan'], quote: 'quote-1' }]);
  });

  // shows: period-3, period-8
  it('changes only the chosen plans, and keeps one chosen', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    const { user } = renderPage({
      existingPlans: [makePlan(), makeGospelPlan(), makeKidsPlan(YEARLY)],
    });
    expect(await screen.findByText('Kids is already billed annually.')).toBeInTheDocument();
    await user.click(await screen.findByRole('checkbox', { name: 'Gospel TV' }));
    await waitFor(() => expect(estimated.at(-1)).toEqual(['faith-family-plan']));
    expect(estimated).toHaveLength(2);
    await user.click(screen.getByRole('checkbox', { name: 'Faith & Family' }));
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeChecked();
    expect(screen.getByText('Select at least one subscription to change.')).toBeInTheDocument();
  });

  it('warns that the free month is lost', async () => {
    answerPeriodChange('upgrade', { ...UPGRADED, removesFreeMonth: true });
    const { user } = renderPage({});
    await user.click(await findSaveButton());
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByRole('heading', { name: 'Warning' })).toBeInTheDocument();
    expect(dialog.getByText(/Upgrading removes your unused free month/)).toBeInTheDocument();
  });

  // shows: period-11
  it('says which card is charged', async () => {
    const method = makeNextBill().paymentSource;
    const paymentSource = method && { ...method, paymentSourceId: 'pm_other' };
    answerPeriodChange('upgrade', { ...UPGRADED, nextBills: [makeNextBill({ paymentSource })] });
    server.use(
      http.get('*/api/payments/', () =>
        HttpResponse.json(
          makePayments({
            card: [
              makeCard(),
              makeCard({
                paymentSourceId: 'pm_other',
                primaryPaymentSource: false,
                brand: 'MASTERCARD',
                maskedNumber: '************4444',
              }),
            ],
          }),
        ),
      ),
    );
    const { user } = renderPage({});
    await user.click(await findSaveButton());
    const dialog = screen.getByRole('dialog', { name: 'Upgrade to annual billing?' });
    await waitFor(() =>
      expect(dialog).toHaveTextContent('taxes included, charged to Mastercard ending in 4444'),
    );
  });

  // shows: period-10
  it.each([
    [0, 'This change doesn’t pay it.'],
    [641, 'This change takes $6.41 off it for the days that are left, and doesn’t pay the rest.'],
    [699, 'This change takes $6.99 off it for the days that are left.'],
  ])('says what stays owed if the change takes off %i cents', async (adjustments, outcome) => {
    answerPeriodChange('upgrade', { ...UPGRADED, adjustments });
    server.use(
      http.get('*/api/account/check-payment-failure', () =>
        HttpResponse.json(makePaymentFailure({ failedPayments: [makeFailedPayment()] })),
      ),
    );
    const { user } = renderPage({});
    await user.click(await findSaveButton());
    const dialog = within(screen.getByRole('dialog', { name: 'Upgrade to annual billing?' }));
    expect(await dialog.findByText(/^You still owe/)).toHaveTextContent(
      `You still owe $6.99 for Faith & Family. ${outcome}`,
    );
  });

  it('does not lose the focus if it was made although the answer was lost', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    const { user } = renderPage({});
    server.use(
      http.post('*/api/account/upgrade', () => {
        answerPlans({ existingPlans: [makePlan(YEARLY)] });
        return HttpResponse.error();
      }),
    );
    await user.click(await findSaveButton());
    await user.click(await screen.findByRole('button', { name: /^YES, UPGRADE/ }));
    expect(await screen.findByText('You’re already on annual billing.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Upgrade to annual billing' })).toHaveFocus();
  });

  // shows: client-7
  it('returns to the same selection after a failed payment', async () => {
    const declined = errorResponse(402, 'payment_processing_failed', 'Nothing was changed.');
    answerPeriodChange('upgrade', UPGRADED, declined);
    const { user } = renderPage(
      { existingPlans: [makePlan(), makeGospelPlan()] },
      '/manage-subscription/upgrade?planIds=gospel-tv-plan',
    );
    await user.click(await findSaveButton());
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    await user.click(failed.getByRole('button', { name: 'Try again' }));
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan'], ['gospel-tv-plan']]);
  });

  // shows: rule-20
  it('can have the bank confirm the charges of several plans', async () => {
    const declined = errorResponse(402, 'payment_processing_failed', 'Nothing was changed.');
    answerPeriodChange('upgrade', { ...UPGRADED, charges: [3339, 3340] }, declined);
    const plans = { existingPlans: [makePlan(), makeGospelPlan()] };
    server.use(http.get('*/api/payments/', () => HttpResponse.json(makePayments())));
    const { user } = renderPage(plans);
    await user.click(await findSaveButton());
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    await user.click(await failed.findByRole('button', { name: 'Confirm with your bank' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/update-card-payment-method');
  });
});

describe('chosen plans that can no longer be changed', () => {
  it('do not select the other plans, even with the dialog open', async () => {
    answerPeriodChange(
      'upgrade',
      UPGRADED,
      errorResponse(409, 'no_change', 'There’s nothing to change.'),
    );
    const { user } = renderPage({ existingPlans: [makePlan(), makeGospelPlan()] });
    await user.click(await findCheckbox('Faith & Family'));
    await waitFor(() => expect(estimated.at(-1)).toEqual(['gospel-tv-plan']));
    await user.click(await findSaveButton());
    const dialog = within(screen.getByRole('dialog'));
    const confirm = await dialog.findByRole('button', { name: /YES, UPGRADE AND PAY/ });
    await waitFor(() => expect(confirm).toBeEnabled());
    answerPlans({ existingPlans: [makePlan(), makeGospelPlan(YEARLY)] });
    await user.click(confirm);
    expect(await dialog.findByText(/This is already done/)).toBeInTheDocument();
    expect(confirm).toBeDisabled();
    await user.click(dialog.getByRole('button', { name: 'NO, CANCEL' }));
    expect(await findCheckbox('Faith & Family')).not.toBeChecked();
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan']]);
    expect(estimated.at(-1)).toEqual(['gospel-tv-plan']);
  });

  it('are reported if the URL names no others, and another can be chosen', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    const { user } = renderPage(
      { existingPlans: [makePlan(), makeGospelPlan(), makeKidsPlan(YEARLY)] },
      '/manage-subscription/upgrade?planIds=Minno-Plan',
    );
    expect(await screen.findByText(/Your selection can’t be changed/)).toBeInTheDocument();
    expect(screen.getByText('Kids is already billed annually.')).toBeInTheDocument();
    expect(await findCheckbox('Faith & Family')).not.toBeChecked();
    expect(await findCheckbox('Gospel TV')).not.toBeChecked();
    await user.click(await findSaveButton());
    expect(screen.getByText('Select at least one subscription to change.')).toBeInTheDocument();
    expect(await findCheckbox('Faith & Family')).toHaveFocus();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(estimated).toEqual([]);
    await user.click(await findCheckbox('Gospel TV'));
    await user.click(await findSaveButton());
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan']]);
  });
});

describe('a failed estimate', () => {
  it('keeps the checkboxes for another choice, and disables saving until then', async () => {
    answerPeriodChange('upgrade', UPGRADED);
    server.use(
      http.get(
        '*/api/account/upgrade/estimate',
        () => errorResponse(409, 'invalid_state', 'This cannot be worked out.'),
        { once: true },
      ),
    );
    const { user } = renderPage({ existingPlans: [makePlan(), makeGospelPlan()] });
    await screen.findAllByText('This cannot be worked out.');
    const gospel = await findCheckbox('Gospel TV');
    expect(gospel).toBeChecked();
    expect(screen.getByRole('button', { name: 'SAVE CHANGES' })).toBeDisabled();
    await user.click(gospel);
    expect(gospel).toHaveFocus();
    expect(await findSaveButton()).toBeEnabled();
    expect(estimated).toEqual([['faith-family-plan']]);
    expect(gospel).not.toBeChecked();
  });
});

describe('downgrading', () => {
  // shows: period-2, period-8
  it('shows the start date, and that nothing is due', async () => {
    answerPeriodChange('downgrade', DOWNGRADED);
    const { user } = renderPage(
      { existingPlans: [makePlan(YEARLY)], total: 6999, periodUnit: 'year' },
      '/manage-subscription/downgrade',
    );
    expect(await findAmounts()).toEqual(['$69.99 / year', '$0.00', '$6.99']);
    await user.click(await findSaveButton());
    const dialog = within(screen.getByRole('dialog', { name: 'Downgrade to monthly billing?' }));
    expect(await dialog.findByText(/switches to monthly billing/)).toHaveTextContent(
      'Faith & Family switches to monthly billing on December 10, 2026. Nothing changes until then.',
    );
    await user.click(dialog.getByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary?action=downgrade');
  });

  // shows: period-7
  it('is summarized as a trial’s if the response says that it is immediate', async () => {
    answerPeriodChange('downgrade', makePeriodEstimate({ isImmediate: true }));
    const { user } = renderPage(
      { existingPlans: [makePlan({ ...YEARLY, status: 'IN_TRIAL' })], periodUnit: 'year' },
      '/manage-subscription/upgrade?action=downgrade',
    );
    await user.click(await findSaveButton());
    await user.click(await screen.findByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=downgrade_with_trial',
    );
  });

  it('says why nothing can be changed', async () => {
    renderPage({ existingPlans: [makePlan(CHANGING)] }, '/manage-subscription/downgrade');
    expect(await screen.findByText('Nothing to change right now')).toBeInTheDocument();
    expect(screen.getByText(/changes to/)).toHaveTextContent(
      'Faith & Family changes to $6.99 / month on December 10, 2026.',
    );
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
  });
});
