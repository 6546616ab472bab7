import { waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import {
  ENDING,
  makeAccount,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makePlan,
  makeServicesChange,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import {
  account,
  findTerms,
  getCheckbox,
  renderCancelPage,
  setUpAccount,
} from './renderCancelPage';

const GOSPEL_BILL = makeNextBill({
  plans: ['sub_gospel'],
  planIds: ['gospel-tv-plan'],
  planNames: ['Gospel TV'],
  amount: 799,
});
const SERMONS_BILL = makeNextBill({
  plans: ['sub_kids'],
  planIds: ['sermons'],
  planNames: ['Sermon Library'],
  amount: 250,
});
const sermons = makeKidsPlan({ id: 'sermons', name: 'Sermon Library', isChangeable: false });

/** The requested estimates: the plan ids of each. */
let estimates: string[][];

beforeEach(() => {
  setUpAccount();
  estimates = [];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(
        makeManagePlans({
          existingPlans: account.plans,
          nextBills: [makeNextBill(), GOSPEL_BILL, SERMONS_BILL],
        }),
      ),
    ),
    // As the server does, it removes only changeable plans, and knows only what is arranged.
    http.post('*/api/account/add-remove-service/estimate', async ({ request }) => {
      const { planIds } = (await request.json()) as { planIds: string[] };
      estimates.push(planIds);
      if (planIds.length === 0 || planIds.includes('sermons')) {
        return errorResponse(400, 'invalid_input', 'Choose at least one available plan.');
      }
      const kept = [makeNextBill(), GOSPEL_BILL].filter((bill) =>
        planIds.some((id) => bill.planIds.includes(id)),
      );
      return HttpResponse.json(makeServicesChange({ nextBills: [...kept, SERMONS_BILL] }));
    }),
  );
});

/** Leaves only the named plans chosen on the cancel screen. */
async function cancelOnly(...names: string[]): Promise<void> {
  const { user } = renderCancelPage();
  await findTerms();
  for (const { name } of account.plans) {
    const checkbox = getCheckbox(name) as HTMLInputElement;
    if (checkbox.checked !== names.includes(name)) await user.click(checkbox);
  }
}

it('leaves out the bill of a canceled plan that the estimate cannot remove', async () => {
  account.plans = [makePlan(), makeGospelPlan(), sermons];
  await cancelOnly('Faith & Family', 'Sermon Library');
  await waitFor(async () =>
    expect(await findTerms()).toHaveTextContent(
      'You’ll keep Gospel TV. Your next bill is $7.99 on December 10, 2026.',
    ),
  );
  expect(await findTerms()).not.toHaveTextContent('$2.50');
  expect(estimates.at(-1)).toEqual(['gospel-tv-plan']);
});

it('asks for an estimate without the remaining plan that can only be canceled', async () => {
  account.plans = [makePlan(), makeGospelPlan(), sermons];
  await cancelOnly('Faith & Family');
  await waitFor(async () =>
    expect(await findTerms()).toHaveTextContent(
      'You’ll keep Gospel TV and Sermon Library. Your next bill is $10.49 on December 10, 2026 (Gospel TV $7.99, Sermon Library $2.50).',
    ),
  );
  expect(estimates.at(-1)).toEqual(['gospel-tv-plan']);
});

it.each([
  ['Sermon Library', 'You’ll keep Faith & Family. Your next bill is $6.99 on December 10, 2026.'],
  ['Faith & Family', 'You’ll keep Sermon Library. Your next bill is $2.50 on December 10, 2026.'],
])('shows the bills as they are where %s leaves no bundle smaller', async (name, sentence) => {
  account.plans = [makePlan(), sermons];
  await cancelOnly(name);
  await waitFor(async () => expect(await findTerms()).toHaveTextContent(sentence));
  expect(estimates).toEqual([]);
});

it('names no amount where a credit would have paid the bill of a canceled plan', async () => {
  account.plans = [makePlan(), sermons];
  server.use(
    http.get('*/api/account', () =>
      HttpResponse.json(makeAccount({ plans: account.plans, creditBalance: 500 })),
    ),
  );
  await cancelOnly('Sermon Library');
  await waitFor(async () =>
    expect(await findTerms()).toHaveTextContent(
      'You’ll keep Faith & Family. Your next bill is on December 10, 2026.',
    ),
  );
});

it('names the estimated amount where a credit pays only what stays', async () => {
  account.plans = [makePlan(), makeGospelPlan()];
  server.use(
    http.get('*/api/account', () =>
      HttpResponse.json(makeAccount({ plans: account.plans, creditBalance: 500 })),
    ),
  );
  await cancelOnly('Faith & Family');
  await waitFor(async () =>
    expect(await findTerms()).toHaveTextContent(
      'You’ll keep Gospel TV. Your next bill is $7.99 on December 10, 2026.',
    ),
  );
});

it('does not estimate the renewal of a plan that ends after its next bill', async () => {
  account.plans = [
    makePlan(),
    makeGospelPlan({ ...ENDING, nextBillingAt: '2026-12-10T15:00:00Z' }),
    makeKidsPlan(),
  ];
  await cancelOnly('Kids');
  await waitFor(() => expect(estimates.at(-1)).toEqual(['faith-family-plan']));
});
