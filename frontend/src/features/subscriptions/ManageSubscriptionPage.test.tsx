import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ManagePlans, ServicesChange } from '@/lib/api/types';
import { useCart } from '@/stores/cart';
import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import {
  aGospelPlan,
  aKidsPlan,
  anOffer,
  aPlan,
  aPreview,
  aServicesChange,
  ENDING,
  PAUSED,
  someManagePlans,
  YEARLY,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import ManageSubscriptionPage from './ManageSubscriptionPage';

const PLANS = '*/api/account/manage-plans';
const ESTIMATE = '*/api/account/add-remove-service/estimate';
const CHANGE = '*/api/account/add-remove-service';

function show(costs: Partial<ManagePlans> = {}, at = '/manage-subscription') {
  server.use(http.get(PLANS, () => HttpResponse.json(someManagePlans(costs))));
  return renderScreen(<ManageSubscriptionPage />, { at });
}

const table = () => screen.findByRole('table', { name: 'Your Subscriptions' });
const box = (name: string) => screen.findByRole('checkbox', { name });
const rowsOf = async () =>
  within(await table())
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);

const BUNDLE: Partial<ManagePlans> = {
  existingPlans: [aPlan(), aGospelPlan()],
  plans: [anOffer()],
  bundleSavings: 150,
  total: 1348,
};

const KIDS_ADDED = aServicesChange({
  existingPlans: [aPlan(), aGospelPlan(), { ...aKidsPlan(), subId: null }],
  added: ['Minno-Plan'],
  bundleSavings: 360,
  total: 2037,
  dueNow: 764,
});

const GOSPEL_REMOVED = aServicesChange({
  existingPlans: [aPlan(), aGospelPlan(ENDING)],
  removed: ['gospel-tv-plan'],
  effectiveAt: '2026-12-04T15:00:00Z',
});

describe('what one holds and could hold', () => {
  it('is listed with its amount, what comes off and the total', async () => {
    show({ ...BUNDLE, plans: [], couponDiscount: 500, total: 848 });
    expect(await rowsOf()).toEqual([
      'Faith & Family$6.99per month',
      'Gospel TV$7.99per month',
      'Coupon Discount-$5.00',
      'Bundle Savings-$1.50',
      'Total Monthly Costs and applicable taxes$8.48',
    ]);
  });

  it('has what the address asks for chosen, and nothing is done before it is saved', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(KIDS_ADDED)));
    show(BUNDLE, '/manage-subscription?add=Minno-Plan');
    await waitFor(async () => expect(await box('Kids')).toBeChecked());
    expect(await box('Faith & Family')).toBeChecked();
    expect(await screen.findByText('Starts as soon as you save your changes.')).toBeInTheDocument();
  });

  it('is checked where it goes on; what ends and what could be added is not', async () => {
    show({
      existingPlans: [aPlan(), aGospelPlan(ENDING), aKidsPlan({ status: 'CANCELLED' })],
      plans: [anOffer()],
    });
    expect(await box('Faith & Family')).toBeChecked();
    expect(await box('Gospel TV')).not.toBeChecked();
    expect(await box('Gospel TV')).toHaveAccessibleDescription(
      /^Your access to Gospel TV will end at the end of your billing cycle, December 4, 2026 ?\.$/,
    );
    expect(await box('Kids')).not.toBeChecked();
    expect(useCart.getState()).toMatchObject({
      planLoaded: true,
      items: ['faith-family-plan'],
      initialPlans: ['faith-family-plan'],
      isYealyPlan: false,
      total: 699,
    });
  });

  it('shows the totals of both periods and never adds them up', async () => {
    show({
      existingPlans: [aPlan(), aGospelPlan({ ...YEARLY, amount: 7999 })],
      otherTotal: { periodUnit: 'year', total: 7199, bundleSavings: 800, couponDiscount: 0 },
    });
    expect((await rowsOf()).slice(2)).toEqual([
      'Total Monthly Costs and applicable taxes$6.99',
      'Bundle Savings-$8.00',
      'Total Yearly Costs and applicable taxes$71.99',
    ]);
  });

  it('can be streamed, beside the portal, where it can be watched', async () => {
    show({ existingPlans: [aPlan(), aGospelPlan(PAUSED)] });
    const start = await screen.findByRole('link', { name: /Start streaming Faith & Family/ });
    expect(start).toHaveAttribute('href', 'https://faith-family.example.com/');
    expect(start).toHaveAttribute('target', '_blank');
    expect(screen.queryByRole('link', { name: /Start streaming Gospel/ })).not.toBeInTheDocument();
  });

  it('leads to the other changes, each where there is something to change', async () => {
    show();
    const ways = within(await screen.findByRole('region', { name: 'Change what you pay' }));
    expect(ways.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '/manage-subscription/upgrade',
      '/coupon',
    ]);
  });

  it('says so where there is nothing', async () => {
    show({ existingPlans: [] });
    expect(await screen.findByText('No subscriptions')).toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });

  it('loads under the overlay, says what failed, and tries again', async () => {
    server.use(
      http.get(PLANS, () => refusal(500, 'internal_error', 'Something broke.'), { once: true }),
      http.get(PLANS, () => HttpResponse.json(someManagePlans())),
    );
    const { user } = renderScreen(<ManageSubscriptionPage />, { at: '/manage-subscription' });
    expect(useLoader.getState().pending).toBe(1);
    expect(await screen.findByRole('alert')).toHaveTextContent('Something broke.');
    expect(useLoader.getState().pending).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await table()).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Manage Subscriptions' })).toHaveFocus();
  });

  it('is what a downgrade makes of it where the address asks for that', async () => {
    server.use(
      http.get('*/api/account/downgrade/estimate', () =>
        HttpResponse.json(aPreview({ isImmediate: false, effectiveAt: '2027-02-01T15:00:00Z' })),
      ),
    );
    show(
      { existingPlans: [aPlan(YEARLY)], periodUnit: 'year' },
      '/manage-subscription?action=downgrade',
    );
    expect(await rowsOf()).toContain('Total Monthly Costs and applicable taxes$6.99');
    expect(screen.getByText('from February 1, 2027 on')).toBeInTheDocument();
    expect(await box('Faith & Family')).toBeDisabled();
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Choose what to downgrade' })).toBeInTheDocument();
  });

  it('offers no downgrade in that preview where there is nothing to downgrade', async () => {
    server.use(
      http.get('*/api/account/downgrade/estimate', () =>
        HttpResponse.json({ code: 'no_change', message: 'Nothing changes.' }, { status: 409 }),
      ),
    );
    show({ existingPlans: [aPlan()] }, '/manage-subscription?action=downgrade');
    expect(await screen.findByText(/^There is nothing to downgrade/)).toBeInTheDocument();
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

  it('shows now, due today and from then on, and keeps the old figures until then', async () => {
    const { user } = show(BUNDLE);
    await user.click(await box('Kids'));
    expect((await rowsOf()).at(-1)).toContain('$13.48');
    const amounts = await screen.findAllByRole('definition');
    expect(amounts.map((amount) => amount.textContent)).toEqual([
      '$13.48 / month',
      '$7.64',
      '$20.37 / month',
    ]);
    expect((await rowsOf()).at(-1)).toContain('$20.37');
    expect(estimated).toEqual([['faith-family-plan', 'gospel-tv-plan', 'Minno-Plan']]);
    expect(useCart.getState()).toMatchObject({ total: 2037, bundleSavings: 360 });
  });

  it('says from when on the price holds, where something is removed', async () => {
    answerEstimate(GOSPEL_REMOVED);
    const { user } = show(BUNDLE);
    await user.click(await box('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      'From then on and applicable taxes, once Gospel TV has ended',
    );
  });

  it('says what the next bill is and what comes after it, where what is removed outlasts it', async () => {
    answerEstimate({
      ...GOSPEL_REMOVED,
      existingPlans: [aPlan(), aGospelPlan({ ...ENDING, cancelAt: '2026-12-20T15:00:00Z' })],
      bundleSavings: 70,
      total: 629,
    });
    const { user } = show(BUNDLE);
    await user.click(await box('Gospel TV'));
    expect((await screen.findAllByRole('term')).at(-1)).toHaveTextContent(
      /^Next bill and applicable taxes$/,
    );
    expect(screen.getAllByRole('definition').at(-1)).toHaveTextContent('$6.29 / month');
    const [later] = screen.getAllByText('Once Gospel TV has ended, the price is $6.99 / month.');
    expect(later).toBeVisible();
  });

  it('asks for figures once the boxes rest, and not where nothing differs', async () => {
    const { user } = show(BUNDLE);
    await user.click(await box('Kids'));
    await user.click(await box('Kids'));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Choose what to add or remove first.',
      severity: 'warning',
    });
    expect(screen.queryByRole('definition')).not.toBeInTheDocument();
    expect(estimated).toEqual([]);
  });

  it('lets the last one stay, and says why', async () => {
    const { user } = show();
    await user.click(await box('Faith & Family'));
    expect(await box('Faith & Family')).toBeChecked();
    expect(screen.getByRole('alert')).toHaveTextContent('At least one subscription has to stay');
  });

  it('says what cannot be worked out, in the server’s words', async () => {
    server.use(
      http.post(ESTIMATE, () => refusal(409, 'invalid_state', 'Kids cannot be added now.')),
    );
    const { user } = show(BUNDLE);
    await user.click(await box('Kids'));
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

  async function asked(name = 'Kids') {
    const { user } = show(BUNDLE);
    await user.click(await box(name));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Save your changes?' }));
    return { user, dialog };
  }

  it('charges nothing before it is confirmed, and then once', async () => {
    const { user, dialog } = await asked();
    const confirm = await dialog.findByRole('button', { name: 'YES, ADD KIDS AND PAY $7.64' });
    expect(dialog.getByText('You add Kids.')).toBeInTheDocument();
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

  it('warns of a removal with plan and date', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(GOSPEL_REMOVED)));
    answers = [() => HttpResponse.json(GOSPEL_REMOVED)];
    const { user, dialog } = await asked('Gospel TV');
    const confirm = await dialog.findByRole('button', { name: 'YES, REMOVE GOSPEL TV' });
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

  it('cannot be confirmed while the figures are on their way', async () => {
    server.use(http.post(ESTIMATE, () => delay('infinite')));
    const { dialog } = await asked();
    expect(dialog.getByText('Working out what you will pay…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'YES, SAVE' })).toBeDisabled();
  });

  it('shows new figures and asks again where they have changed', async () => {
    answers = [
      () =>
        refusal(409, 'quote_changed', 'The amount has changed.', {
          extra: { ...KIDS_ADDED, dueNow: 899, quote: 'quote-2' },
        }),
    ];
    const { user, dialog } = await asked();
    await user.click(await dialog.findByRole('button', { name: /PAY \$7.64/ }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'YES, ADD KIDS AND PAY $8.99' }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  it('opens the payment-failure dialog, keeps the selection and lets one try again', async () => {
    answers = [
      () => refusal(402, 'payment_processing_failed', "We couldn't process your payment."),
    ];
    const { user, dialog } = await asked();
    await user.click(await dialog.findByRole('button', { name: /PAY \$7.64/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    expect(failed.getByText("We couldn't process your payment.")).toBeInTheDocument();
    expect(failed.getByRole('link', { name: /Contact Customer Service/ })).toBeInTheDocument();
    await user.click(failed.getByRole('button', { name: 'Try again' }));
    expect(screen.queryByRole('dialog', { name: 'Payment Failed' })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'YES, ADD KIDS AND PAY $7.64' }));
    await screen.findByTestId('elsewhere');
    expect(sent).toHaveLength(2);
  });

  it('says so where another tab has done it', async () => {
    answers = [() => refusal(409, 'no_change', 'There is nothing to change.')];
    const { user, dialog } = await asked();
    server.use(
      http.get(PLANS, () =>
        HttpResponse.json(
          someManagePlans({ existingPlans: [aPlan(), aGospelPlan(), aKidsPlan()], total: 2037 }),
        ),
      ),
    );
    await user.click(await dialog.findByRole('button', { name: /PAY \$7.64/ }));
    expect(await dialog.findByText(/This has been done already/)).toBeInTheDocument();
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
    expect(await box('Kids')).toBeChecked();
  });

  it('asks about the same change again after a cut', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post(CHANGE, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'));
        return keys.length === 1 ? HttpResponse.error() : HttpResponse.json(KIDS_ADDED);
      }),
    );
    const { user, dialog } = await asked();
    await user.click(await dialog.findByRole('button', { name: /PAY \$7.64/ }));
    expect(await dialog.findByRole('alert')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: /PAY \$7.64/ }));
    await screen.findByTestId('elsewhere');
    expect(keys[1]).toBe(keys[0]);
  });

  it('tells the truth about a change done in part, and offers to finish it', async () => {
    answers = [() => refusal(502, 'billing_partial', 'Kids was added, Gospel TV is still there.')];
    const { user, dialog } = await asked();
    await user.click(await dialog.findByRole('button', { name: /PAY \$7.64/ }));
    expect(await dialog.findByText(/Gospel TV is still there/)).toBeInTheDocument();
    const finish = dialog.getByRole('button', { name: 'YES, FINISH' });
    await waitFor(() => expect(finish).toBeEnabled());
    await user.click(finish);
    await screen.findByTestId('elsewhere');
  });
});
