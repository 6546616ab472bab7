import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ManagePlans, Preview } from '@/lib/api/types';
import {
  aGospelPlan,
  aKidsPlan,
  aPlan,
  aPreview,
  CHANGING,
  someManagePlans,
  YEARLY,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import PlanChangePage from './PlanChangePage';

const UPGRADED = aPreview({
  existingPlans: [aPlan(YEARLY)],
  periodUnit: 'year',
  total: 6999,
  annualSavings: 1389,
  credits: 320,
  dueNow: 6679,
});

const DOWNGRADED = aPreview({
  isImmediate: false,
  effectiveAt: '2026-12-10T15:00:00Z',
  annualSavings: 1389,
});

let sent: { planIds: string[]; quote: string }[] = [];
let estimated: string[][] = [];

function answer(action: 'upgrade' | 'downgrade', preview: Preview, ...refusals: Response[]) {
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

function plansBecome(costs: Partial<ManagePlans>) {
  server.use(
    http.get('*/api/account/manage-plans', () => HttpResponse.json(someManagePlans(costs))),
  );
}

function show(costs: Partial<ManagePlans>, at = '/manage-subscription/upgrade') {
  plansBecome(costs);
  return renderScreen(<PlanChangePage />, { at });
}

beforeEach(() => {
  sent = [];
  estimated = [];
});

/** The button, once it is known what the change comes to. */
async function save(): Promise<HTMLElement> {
  const button = await screen.findByRole('button', { name: 'SAVE CHANGES' });
  await waitFor(() => expect(button).toBeEnabled());
  return button;
}
const box = (name: string) => screen.findByRole('checkbox', { name });
const amounts = async () =>
  (await screen.findAllByRole('definition')).map(({ textContent }) => textContent);

describe('upgrading', () => {
  it('shows what it saves, the credit, and the money before and after', async () => {
    answer('upgrade', UPGRADED);
    show({});
    const rows = within(await screen.findByRole('table')).getAllByRole('row');
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      'Faith & Family$69.99per year',
      'Now $6.99 / month.',
      'You save $13.89 in annual cost',
      'Total Yearly Costs and applicable taxes$69.99',
    ]);
    expect(screen.getByText(/for the remaining days of your monthly/)).toHaveTextContent(
      'Your total is $69.99 per year. You get a credit of $3.20 for the remaining days of your monthly subscription.',
    );
    expect(await amounts()).toEqual(['$6.99 / month', '$66.79', '$69.99 / year']);
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeChecked();
  });

  it('charges what was confirmed and goes to the summary', async () => {
    answer('upgrade', UPGRADED);
    const { user } = show({});
    await user.click(await save());
    const dialog = within(screen.getByRole('dialog', { name: 'Upgrade to annual billing?' }));
    await user.click(await dialog.findByRole('button', { name: 'YES, UPGRADE AND PAY $66.79' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary?action=upgrade');
    expect(sent).toEqual([{ planIds: ['faith-family-plan'], quote: 'quote-1' }]);
  });

  it('takes only what is chosen, and keeps one chosen', async () => {
    answer('upgrade', UPGRADED);
    const { user } = show({ existingPlans: [aPlan(), aGospelPlan(), aKidsPlan(YEARLY)] });
    expect(await screen.findByText('Kids is already billed annually.')).toBeInTheDocument();
    await user.click(await screen.findByRole('checkbox', { name: 'Gospel TV' }));
    await waitFor(() => expect(estimated.at(-1)).toEqual(['faith-family-plan']));
    expect(estimated).toHaveLength(2);
    await user.click(screen.getByRole('checkbox', { name: 'Faith & Family' }));
    expect(screen.getByRole('checkbox', { name: 'Faith & Family' })).toBeChecked();
    expect(screen.getByText('Choose at least one subscription to change.')).toBeInTheDocument();
  });

  it('warns first that the free month is lost', async () => {
    answer('upgrade', { ...UPGRADED, removesFreeMonth: true });
    const { user } = show({});
    await user.click(await save());
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByRole('heading', { name: 'Warning' })).toBeInTheDocument();
    expect(dialog.getByText(/Upgrading takes it away/)).toBeInTheDocument();
  });

  it('comes back to the same selection after a payment that failed', async () => {
    const declined = refusal(402, 'payment_processing_failed', 'Nothing was changed.');
    answer('upgrade', UPGRADED, declined);
    const { user } = show(
      { existingPlans: [aPlan(), aGospelPlan()] },
      '/manage-subscription/upgrade?planIds=gospel-tv-plan',
    );
    await user.click(await save());
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    await user.click(failed.getByRole('button', { name: 'Try again' }));
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan'], ['gospel-tv-plan']]);
  });
});

describe('what was chosen and cannot be changed any more', () => {
  it('leaves unchecked what was unchecked, also in the dialog that asks', async () => {
    answer('upgrade', UPGRADED, refusal(409, 'no_change', 'There is nothing to change.'));
    const { user } = show({ existingPlans: [aPlan(), aGospelPlan()] });
    await user.click(await box('Faith & Family'));
    await waitFor(() => expect(estimated.at(-1)).toEqual(['gospel-tv-plan']));
    await user.click(await save());
    const dialog = within(screen.getByRole('dialog'));
    const confirm = await dialog.findByRole('button', { name: /YES, UPGRADE AND PAY/ });
    await waitFor(() => expect(confirm).toBeEnabled());
    plansBecome({ existingPlans: [aPlan(), aGospelPlan(YEARLY)] });
    await user.click(confirm);
    expect(await dialog.findByText(/This has been done already/)).toBeInTheDocument();
    expect(confirm).toBeDisabled();
    await user.click(dialog.getByRole('button', { name: 'NO, CANCEL' }));
    expect(await box('Faith & Family')).not.toBeChecked();
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan']]);
    expect(estimated.at(-1)).toEqual(['gospel-tv-plan']);
  });

  it('is said where the address names nothing else, and another can be chosen', async () => {
    answer('upgrade', UPGRADED);
    const { user } = show(
      { existingPlans: [aPlan(), aGospelPlan(), aKidsPlan(YEARLY)] },
      '/manage-subscription/upgrade?planIds=Minno-Plan',
    );
    expect(await screen.findByText(/What was chosen cannot be changed/)).toBeInTheDocument();
    expect(screen.getByText('Kids is already billed annually.')).toBeInTheDocument();
    expect(await box('Faith & Family')).not.toBeChecked();
    expect(await box('Gospel TV')).not.toBeChecked();
    await user.click(await save());
    expect(screen.getByText('Choose at least one subscription to change.')).toBeInTheDocument();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(estimated).toEqual([]);
    await user.click(await box('Gospel TV'));
    await user.click(await save());
    await user.click(await screen.findByRole('button', { name: /YES, UPGRADE AND PAY/ }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ planIds }) => planIds)).toEqual([['gospel-tv-plan']]);
  });
});

describe('an estimate that fails', () => {
  it('leaves the boxes there for another choice, and nothing to save until then', async () => {
    answer('upgrade', UPGRADED);
    server.use(
      http.get(
        '*/api/account/upgrade/estimate',
        () => refusal(409, 'invalid_state', 'This cannot be worked out.'),
        { once: true },
      ),
    );
    const { user } = show({ existingPlans: [aPlan(), aGospelPlan()] });
    await screen.findAllByText('This cannot be worked out.');
    const gospel = await box('Gospel TV');
    expect(gospel).toBeChecked();
    expect(screen.getByRole('button', { name: 'SAVE CHANGES' })).toBeDisabled();
    await user.click(gospel);
    expect(gospel).toHaveFocus();
    expect(await save()).toBeEnabled();
    expect(estimated).toEqual([['faith-family-plan']]);
    expect(gospel).not.toBeChecked();
  });
});

describe('downgrading', () => {
  it('says from when, and that nothing is due', async () => {
    answer('downgrade', DOWNGRADED);
    const { user } = show(
      { existingPlans: [aPlan(YEARLY)], total: 6999, periodUnit: 'year' },
      '/manage-subscription/downgrade',
    );
    expect(await amounts()).toEqual(['$69.99 / year', '$0.00', '$6.99 / month']);
    await user.click(await save());
    const dialog = within(screen.getByRole('dialog', { name: 'Downgrade to monthly billing?' }));
    expect(await dialog.findByText(/will be billed monthly/)).toHaveTextContent(
      'Faith & Family will be billed monthly from December 10, 2026 on; until then nothing changes.',
    );
    await user.click(dialog.getByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary?action=downgrade');
  });

  it('is of a trial where the answer says that it is done at once', async () => {
    answer('downgrade', aPreview({ isImmediate: true }));
    const { user } = show(
      { existingPlans: [aPlan({ ...YEARLY, status: 'IN_TRIAL' })], periodUnit: 'year' },
      '/manage-subscription/upgrade?action=downgrade',
    );
    await user.click(await save());
    await user.click(await screen.findByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=downgrade_with_trial',
    );
  });

  it('says why where there is nothing to change', async () => {
    show({ existingPlans: [aPlan(CHANGING)] }, '/manage-subscription/downgrade');
    expect(await screen.findByText('There is nothing to change right now')).toBeInTheDocument();
    expect(screen.getByText(/changes to/)).toHaveTextContent(
      'Faith & Family changes to $6.99 / month on December 10, 2026.',
    );
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
  });
});
