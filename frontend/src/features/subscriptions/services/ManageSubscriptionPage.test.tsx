import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Plan, ServicesChange } from '@/lib/api/types';
import { useCart } from '@/stores/cart';
import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import {
  ENDING,
  MONTHLY_DOLLARS,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeOfferedPlan,
  makePeriodEstimate,
  makePlan,
  PAUSED,
  YEARLY,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import ManageSubscriptionPage from './ManageSubscriptionPage';
import {
  BUNDLE,
  ESTIMATE,
  findCheckbox,
  findTable,
  GOSPEL_REMOVED,
  KIDS_ADDED,
  PLANS,
  readRows,
  renderManagePage,
} from './renderManagePage';

describe('the plans', () => {
  // shows: subscriptions-1, subscriptions-2, subscriptions-3, subscriptions-4, api-9
  it('are listed with prices, discounts and the total', async () => {
    renderManagePage({ ...BUNDLE, plans: [], couponDiscount: 500, total: 848 });
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
    renderManagePage(BUNDLE, '/manage-subscription?add=Minno-Plan');
    await waitFor(async () => expect(await findCheckbox('Kids')).toBeChecked());
    expect(await findCheckbox('Faith & Family')).toBeChecked();
    expect(await screen.findByText('Starts when you save your changes')).toBeInTheDocument();
  });

  // shows: subscriptions-7, subscriptions-9, data-4
  it('are checked if they renew, and unchecked if they end or can be added', async () => {
    renderManagePage({
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
    renderManagePage({
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
      'Bundle Savings on annual plans-$8.00',
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
    renderManagePage({ existingPlans: [makePlan(), magazine] });
    const box = await findCheckbox('The Magazine');
    expect(box).toBeChecked();
    expect(box).toBeDisabled();
    expect(screen.getByText(/The Magazine can’t be changed here, only canceled\./)).toBeVisible();
    expect(screen.getByText('€2.50')).toBeVisible();
    expect(screen.getByText('per week')).toBeVisible();
  });

  // shows: rule-19
  it('list the only plan although it cannot be changed and none can be added', async () => {
    renderManagePage({ existingPlans: [makePlan({ isChangeable: false })], plans: [] });
    expect(await findCheckbox('Faith & Family')).toBeDisabled();
    expect(screen.getByText(/Faith & Family can’t be changed here, only canceled\./)).toBeVisible();
    expect(screen.queryByText('No subscriptions')).not.toBeInTheDocument();
    expect(screen.queryByText(/^Choose your services\./)).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Cancel Subscriptions' })).toBeVisible();
  });

  // shows: subscriptions-6
  it('link to streaming in a new tab if they can be watched', async () => {
    renderManagePage({ existingPlans: [makePlan(), makeGospelPlan(PAUSED)] });
    const start = await screen.findByRole('link', { name: /Start streaming Faith & Family/ });
    expect(start).toHaveAttribute('href', 'https://faith-family.example.com/');
    expect(start).toHaveAttribute('target', '_blank');
    expect(screen.queryByRole('link', { name: /Start streaming Gospel/ })).not.toBeInTheDocument();
  });

  it('are followed by links to the possible changes', async () => {
    renderManagePage({ existingPlans: [makePlan()] });
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
    renderManagePage({ existingPlans, plans: [makeOfferedPlan()] });
    await screen.findByRole('checkbox', { name: /Kids/ });
    expect(screen.queryByRole('region', { name: 'Change your billing' })).not.toBeInTheDocument();
  });

  it('show an empty state without plans', async () => {
    renderManagePage({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
    expect(screen.queryByText(/^Choose your services\./)).not.toBeInTheDocument();
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
    renderManagePage(
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
    renderManagePage({ existingPlans: [makePlan()] }, '/manage-subscription?action=downgrade');
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
    const { user } = renderManagePage(BUNDLE);
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
    const { user } = renderManagePage(BUNDLE);
    await user.click(await findCheckbox('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      /^Next bill, December 10, 2026$/,
    );
  });

  // shows: rule-21
  it('says that nothing will be billed if so', async () => {
    answerEstimate({ ...GOSPEL_REMOVED, nextBills: [] });
    const { user } = renderManagePage(BUNDLE);
    await user.click(await findCheckbox('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      'You won’t be billed again.',
    );
  });

  it('can be taken back at once, and keeps the focus among the services', async () => {
    const { user } = renderManagePage(BUNDLE);
    await user.click(await findCheckbox('Kids'));
    await user.click(await screen.findByRole('button', { name: 'Reset' }));
    expect(await findCheckbox('Kids')).not.toBeChecked();
    expect(screen.queryByRole('button', { name: 'Reset' })).not.toBeInTheDocument();
    expect(await findCheckbox('Faith & Family')).toHaveFocus();
  });

  it('debounces the estimate, and requests none if nothing differs', async () => {
    const { user } = renderManagePage(BUNDLE);
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
    const { user } = renderManagePage();
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
    const { user } = renderManagePage(BUNDLE);
    await user.click(await findCheckbox('Kids'));
    await waitFor(() =>
      expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toContain(
        'Kids cannot be added now.',
      ),
    );
  });
});
