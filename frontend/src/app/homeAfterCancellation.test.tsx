import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { expect, it } from 'vitest';

import { accountOptions } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/api/queryClient';
import type { Plan } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import {
  ENDING,
  makeAccount,
  makeManagePlans,
  makeNextBill,
  makePlan,
  makeServicesChange,
} from '@/testing/fixtures';
import { server } from '@/testing/server';
import { App } from './App';

/** What responses to reads of the account wait for. */
let release: Promise<void> = Promise.resolve();

/** Answers as the server would: once the plan is canceled, no bill comes. */
function serveAccount(): void {
  let plan: Plan = makePlan();
  const nextBills = () => (plan.cancelAt === null ? [makeNextBill()] : []);
  server.use(
    http.get('*/api/account', async () => {
      const account = makeAccount({ plans: [plan], nextBills: nextBills() });
      await release;
      return HttpResponse.json(account);
    }),
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: [plan], nextBills: nextBills() })),
    ),
    http.get('*/api/account/pause/estimate', () =>
      HttpResponse.json({ pauseDate: null, resumeDate: null, plans: [] }),
    ),
    http.get('*/api/invoice/list', () => HttpResponse.json([])),
    http.post('*/api/account/add-remove-service/estimate', () =>
      HttpResponse.json(makeServicesChange()),
    ),
    http.post('*/api/account/subscriptions/cancel', () => {
      plan = makePlan(ENDING);
      const { subId, name, cancelAt: endsAt } = plan;
      return HttpResponse.json({
        plans: [plan],
        cancelled: [{ subId, name, endsAt, atOnce: false }],
      });
    }),
  );
}

it('shows no bill of a plan that was just canceled, although the cancel screen takes its reads with it', async () => {
  serveAccount();
  useAuth.getState().signIn('token', 'ava@example.com');
  const queryClient = createQueryClient();
  render(
    <MemoryRouter initialEntries={['/cancelAll']}>
      <App queryClient={queryClient} />
    </MemoryRouter>,
  );
  const cancel = await screen.findByRole('button', { name: /^CANCEL SUB/ });
  await waitFor(() => expect(queryClient.getQueryData(accountOptions.queryKey)).toBeDefined());
  let showHome: () => void = expect.unreachable;
  release = new Promise<void>((resolve) => {
    showHome = resolve;
  });
  await userEvent.click(cancel);
  await screen.findByRole('heading', { level: 1, name: /^Hello/ });
  showHome();

  expect(await screen.findByText('You won’t be billed again.')).toBeVisible();
});
