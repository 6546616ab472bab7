import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useLocation } from 'react-router-dom';

import type { ManagePlans } from '@/lib/api/types';
import {
  ENDING,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makeOfferedPlan,
  makePlan,
  makeServicesChange,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import ManageSubscriptionPage from './ManageSubscriptionPage';

export const PLANS = '*/api/account/manage-plans';
export const ESTIMATE = '*/api/account/add-remove-service/estimate';
export const CHANGE = '*/api/account/add-remove-service';

export function renderManagePage(costs: Partial<ManagePlans> = {}, at = '/manage-subscription') {
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

export const findTable = () => screen.findByRole('table', { name: 'Your Subscriptions' });
export const findCheckbox = (name: string) => screen.findByRole('checkbox', { name });
export const readRows = async () =>
  within(await findTable())
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);

export const BUNDLE: Partial<ManagePlans> = {
  existingPlans: [makePlan(), makeGospelPlan()],
  plans: [makeOfferedPlan()],
  bundleSavings: 150,
  total: 1348,
};

export const KIDS_ADDED = makeServicesChange({
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

export const GOSPEL_REMOVED = makeServicesChange({
  existingPlans: [makePlan(), makeGospelPlan(ENDING)],
  removed: ['gospel-tv-plan'],
  effectiveAt: '2026-12-04T15:00:00Z',
});
