import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ManagePlans } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useCart } from '@/stores/cart';
import {
  makeGospelPlan,
  makeKidsPlan,
  makeNextBill,
  makeOfferedPlan,
  makePayments,
  makeServicesChange,
  YEARLY,
} from '@/testing/fixtures';
import { server } from '@/testing/server';
import {
  BUNDLE,
  CHANGE,
  ESTIMATE,
  findCheckbox,
  findTable,
  renderManagePage,
} from './renderManagePage';

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
    const { user } = renderManagePage(OFFER);
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
    const { user } = renderManagePage(OFFER, '/manage-subscription?add=Minno-Plan&period=year');
    expect(await screen.findByRole('radio', { name: /^Annually/ })).toBeChecked();
    await user.click(await findCheckbox('Start Kids'));
    expect(await findCheckbox('Start Kids')).not.toBeChecked();
    expect(screen.queryByText(/Keep at least one service/)).not.toBeInTheDocument();
  });

  it('has no choice of a period beside a live plan', async () => {
    renderManagePage({ ...BUNDLE }, '/manage-subscription?period=year');
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
    renderManagePage(NOTHING_HELD, '/manage-subscription?add=Minno-Plan');
    expect(await findCheckbox('Start Kids')).toBeChecked();
    expect(await screen.findByRole('link', { name: 'Add a card and start Kids' })).toHaveAttribute(
      'href',
      '/add-card-payment-method?operationType=ADD&add=Minno-Plan&period=month',
    );
    expect(screen.queryByRole('button', { name: 'SAVE CHANGES' })).not.toBeInTheDocument();
  });

  // shows: dashboard-21
  it('are confirmed at once if the URL asks for it, and only once', async () => {
    const { user } = renderManagePage(
      NOTHING_HELD,
      '/manage-subscription?add=Minno-Plan&confirm=yes',
    );
    const dialog = await screen.findByRole('dialog', { name: 'Save your changes?' });
    expect(
      await within(dialog).findByRole('button', { name: 'Yes, add Kids and pay $8.99' }),
    ).toBeEnabled();
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(await findCheckbox('Start Kids')).toBeChecked();
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  it('are confirmed without those that an earlier link has added', async () => {
    useAuth.getState().signIn('test-token');
    useCart.getState().load({ planIds: [], isYearly: false, owner: 'ava@example.com' });
    useCart.getState().choose(['gospel-tv-plan']);
    const sent: object[] = [];
    server.use(
      http.post(ESTIMATE, async ({ request }) => {
        sent.push((await request.json()) as object);
        return HttpResponse.json(ESTIMATED);
      }),
    );
    const gospel = makeOfferedPlan({ ...makeGospelPlan(), status: null, subId: null } as object);
    renderManagePage(
      { existingPlans: [], plans: [makeOfferedPlan(), gospel] },
      '/manage-subscription?add=Minno-Plan&confirm=yes',
    );
    await screen.findByRole('button', { name: 'Yes, add Kids and pay $8.99' });
    expect(sent.at(-1)).toMatchObject({ planIds: ['Minno-Plan'] });
  });

  it('are not confirmed again by a reload once the confirmation was closed', async () => {
    const { user } = renderManagePage(
      NOTHING_HELD,
      '/manage-subscription?add=Minno-Plan&confirm=yes',
    );
    const dialog = await screen.findByRole('dialog', { name: 'Save your changes?' });
    // A reload while it is open asks again.
    expect(screen.getByTestId('query')).toHaveTextContent('?add=Minno-Plan&confirm=yes');
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    await waitFor(() =>
      expect(screen.getByTestId('query')).toHaveTextContent(/^\?add=Minno-Plan$/),
    );
  });

  it('are not confirmed if they are no longer offered', async () => {
    renderManagePage(
      { existingPlans: [makeKidsPlan()], plans: [] },
      '/manage-subscription?add=Minno-Plan&confirm=yes',
    );
    expect(await findCheckbox('Kids')).toBeChecked();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});
