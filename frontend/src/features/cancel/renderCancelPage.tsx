import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { vi } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { ENDING, makeManagePlans, makePlan, makeServicesChange } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import CancelPage from './CancelPage';

export const CANCEL = '*/api/account/subscriptions/cancel';
export const DATES = { pauseDate: '2026-12-10T15:00:00Z', resumeDate: '2027-01-09T15:00:00Z' };
export const TRIAL: Partial<Plan> = { status: 'IN_TRIAL' };

/** What the server says that the subscriber has. */
export const account: { plans: Plan[] } = { plans: [] };

/** Answers with the plans of `account`, at first one. */
export function setUpAccount(): void {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  account.plans = [makePlan()];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: account.plans })),
    ),
    http.get('*/api/account/pause/estimate', () =>
      HttpResponse.json({
        ...DATES,
        plans: account.plans.map(({ subId }) => ({ subId, ...DATES })),
      }),
    ),
    http.post('*/api/account/add-remove-service/estimate', () =>
      HttpResponse.json(makeServicesChange()),
    ),
  );
}

export const renderCancelPage = (query = '') =>
  renderScreen(<CancelPage />, { at: `/cancelAll${query}`, route: '/cancelAll' });
export const findCancelButton = () =>
  screen.findByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' });
export const findTerms = () => screen.findByRole('list', { name: 'What happens if you cancel' });
export const getCheckbox = (name: string) => screen.getByRole('checkbox', { name });
export const queryPauseOffer = () =>
  screen.queryByText(
    'Stay for a little longer? Keep your account and data. You won’t get billed for a month.',
  );

interface RecordedRequest {
  body: unknown;
  key: string | null;
}

/** Answers cancellations as the server would, and records the requests. */
export function recordCancellations(
  path: string,
  ...refusals: (() => Response)[]
): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  server.use(
    http.post(path, async ({ request }) => {
      const body = (await request.json()) as { subscriptionIds?: string[] };
      requests.push({ body, key: request.headers.get('Idempotency-Key') });
      return (refusals.shift() ?? (() => answerCancellation(body.subscriptionIds)))();
    }),
  );
  return requests;
}

function answerCancellation(ids = account.plans.map(({ subId }) => subId)): Response {
  const affectedPlans = account.plans.filter(({ subId }) => ids.includes(subId));
  account.plans = account.plans.map((plan) =>
    affectedPlans.includes(plan) ? endPlan(plan) : plan,
  );
  return HttpResponse.json({
    plans: account.plans,
    cancelled: affectedPlans.map(({ subId, name, status, nextBillingAt }) => ({
      subId,
      name,
      endsAt: nextBillingAt ?? '2026-11-20T12:00:00Z',
      atOnce: status === 'PAUSED',
    })),
  });
}

export function endPlan(plan: Plan): Plan {
  if (plan.status === 'PAUSED') return { ...plan, status: 'CANCELLED' };
  return { ...plan, ...ENDING, cancelAt: plan.nextBillingAt };
}
