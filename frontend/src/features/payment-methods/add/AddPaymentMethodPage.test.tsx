import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Payments } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { makePayments, makeSite } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import AddPaymentMethodPage from './AddPaymentMethodPage';

let payments: Payments;

beforeEach(() => {
  payments = makePayments();
  server.use(http.get('*/api/payments/', () => HttpResponse.json(payments)));
});

const findRadio = (name: string) => screen.findByRole('radio', { name });
const findButton = (name: string) => screen.findByRole('button', { name });

describe('choosing the kind to add', () => {
  const renderAddPage = (query = '') =>
    renderScreen(<AddPaymentMethodPage />, { at: `/add-payment-method${query}` });

  // shows: payment-10
  it('requires a choice', async () => {
    const { user } = renderAddPage();
    await user.click(await findButton('Continue'));
    expect(await findRadio('Card')).toHaveAccessibleDescription(
      'Choose payment method to continue',
    );
    expect(await findRadio('Card')).toHaveFocus();
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Choose payment method to continue',
      severity: 'warning',
    });
  });

  // shows: payment-10
  it.each([
    ['Card', '/add-card-payment-method?operationType=ADD'],
    ['PayPal', '/add-paypal-payment-method?operationType=ADD'],
  ])('continues to %s', async (kind, address) => {
    const { user } = renderAddPage();
    await user.click(await findRadio(kind));
    await user.click(await findButton('Continue'));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(address);
  });

  it('keeps the plans that the address asks to add', async () => {
    const { user } = renderAddPage('?add=Minno-Plan');
    await user.click(await findRadio('Card'));
    await user.click(await findButton('Continue'));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/add-card-payment-method?operationType=ADD&add=Minno-Plan',
    );
  });

  it('keeps them on the way back to the list, too', async () => {
    const { user } = renderAddPage('?add=Minno-Plan&period=year');
    await user.click(await screen.findByRole('link', { name: 'Back to payment methods' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/manage-payment-method?add=Minno-Plan&period=year',
    );
  });

  it('offers no PayPal where the site does not take it', async () => {
    const site = makeSite({ paypalOffered: false });
    server.use(http.get('*/api/site', () => HttpResponse.json(site)));
    renderAddPage();
    await waitFor(() =>
      expect(screen.getAllByRole('radio')).toEqual([screen.getByRole('radio', { name: 'Card' })]),
    );
    expect(screen.queryByRole('img', { name: 'PayPal' })).toBeNull();
  });

  // shows: rule-10, payment-9
  it('announces the charge', async () => {
    payments = { ...payments, amountDue: 699 };
    renderAddPage();
    expect(await screen.findByText('$6.99 due will be charged now')).toBeVisible();
  });
});
