import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { Invoice, ManagePlans, Plan } from '@/lib/api/types';
import { makeAccount, makeInvoice, makeManagePlans, makePlan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import DashboardPage from './DashboardPage';

/** What the server of the dashboard's tests answers with; a test changes it before and during its run. */
export const served: { plans: Plan[]; invoices: Invoice[]; costs: Partial<ManagePlans> } = {
  plans: [],
  invoices: [],
  costs: {},
};

/** Serve an account with one active plan and one invoice. */
export function serveDashboard() {
  Object.assign(served, { plans: [makePlan()], invoices: [makeInvoice()], costs: {} });
  server.use(
    http.get('*/api/account', () => HttpResponse.json(makeAccount({ plans: served.plans }))),
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: served.plans, ...served.costs })),
    ),
    http.get('*/api/invoice/list', () => HttpResponse.json(served.invoices)),
  );
}

export const renderDashboard = (options: { state?: unknown } = {}) =>
  renderScreen(<DashboardPage />, { at: '/dashboard', ...options });

export const findCard = (name: string) => screen.findByRole('article', { name });
