import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Payments } from '@/lib/api/types';
import { makeManagePlans, makeOfferedPlan, makePayments, makePayPal } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import PaymentMethodAddedPage from './PaymentMethodAddedPage';

let payments: Payments;

beforeEach(() => {
  payments = makePayments({ paypal: [makePayPal()] });
  server.use(http.get('*/api/payments/', () => HttpResponse.json(payments)));
});

describe('the success screen', () => {
  const renderAddedPage = (query: string, state: unknown = null) =>
    renderScreen(<PaymentMethodAddedPage />, { at: `/add-payment-method-success${query}`, state });

  // shows: payment-20, payment-21
  it('shows the method and the amount charged', async () => {
    renderAddedPage('?paymentSourceId=pm_visa', { collected: 699, wasTried: true });
    expect(await screen.findByRole('heading', { name: 'Card Information Added' })).toBeVisible();
    expect(document.title).toBe('Card Information Added');
    const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
    expect(terms).toEqual(['Card number', 'Name on card', 'Expires']);
    expect(screen.getByText('$6.99 was charged.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'BACK TO MANAGE PAYMENT METHOD' })).toHaveAttribute(
      'href',
      '/manage-payment-method',
    );
  });

  // shows: payment-20
  it('claims nothing if opened by hand, and shows the method and the amount due', async () => {
    payments = { ...payments, amountDue: 699 };
    renderAddedPage('?paymentSourceId=pm_paypal');
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Your Payment Method' }),
    ).toBeVisible();
    expect(screen.queryByText(/added/i)).toBeNull();
    expect(screen.getByText('$6.99 is still due.')).toBeVisible();
    expect(screen.queryByText('The payment didn’t go through.')).toBeNull();
  });

  // shows: dashboard-21
  it('leads on to the confirmation of the plans that the card was added for', async () => {
    server.use(
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(makeManagePlans({ existingPlans: [], plans: [makeOfferedPlan()] })),
      ),
    );
    renderAddedPage('?paymentSourceId=pm_visa&add=Minno-Plan&add=no-plan&period=year');
    expect(await screen.findByRole('link', { name: 'Continue to start Kids' })).toHaveAttribute(
      'href',
      '/manage-subscription?add=Minno-Plan&period=year&confirm=yes',
    );
  });

  it('redirects to the list if the method does not exist', async () => {
    renderAddedPage('?paymentSourceId=pm_gone');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/manage-payment-method');
  });
});
