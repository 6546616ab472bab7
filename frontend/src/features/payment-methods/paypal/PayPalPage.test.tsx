import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import type { PayPalCallbacks } from '@/lib/chargebee/types';
import { useSnackbar } from '@/stores/snackbar';
import {
  blockProviderScript,
  fakeChargebee,
  loadProviderScript,
  resetFakeChargebee,
} from '@/testing/fakeChargebee';
import { makeManagePlans, makePayments, makePayPal, makeSite } from '@/testing/fixtures';
import { resetPage, servePageAs } from '@/testing/pageLoads';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import PayPalPage from './PayPalPage';

const TEXT =
  'Click the PayPal logo below to securely link your PayPal account directly via PayPal.';

let payments: Payments;
let intents: (string | null)[];
let sent: unknown[];

beforeEach(() => {
  resetFakeChargebee();
  payments = makePayments({ paypal: [makePayPal()] });
  intents = [];
  sent = [];
  server.use(
    http.get('*/api/payments/', () => HttpResponse.json(payments)),
    http.post('*/api/payments/paymentToken', ({ request }) => {
      intents.push(request.headers.get('Idempotency-Key'));
      return HttpResponse.json({ id: `pi_${intents.length}`, status: 'inited', amount: 0 });
    }),
    http.post('*/api/payments/updatePaymentSources', async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json({ ...payments, paymentSourceId: 'pm_new', collected: 0 });
    }),
  );
});

afterEach(resetPage);

type Decision = (callbacks: PayPalCallbacks) => Promise<unknown>;

/** Queues the payer's decisions for the next attempts. */
function queueDecisions(...decisions: Decision[]) {
  for (const decision of decisions) fakeChargebee.pay.mockImplementationOnce(decision);
}

const agree: Decision = (callbacks) => {
  const agreed = { id: `pi_${intents.length}`, status: 'authorized' };
  callbacks.success?.(agreed);
  return Promise.resolve(agreed);
};

const cancelPayment: Decision = (callbacks) => {
  callbacks.cancel?.();
  return Promise.reject(new Error('The payer cancelled.'));
};

const failPayment: Decision = (callbacks) => {
  const error = { error_msg: 'PayPal could not take a payment from this account' };
  callbacks.error?.({ id: 'pi_1' }, error);
  return Promise.reject(error);
};

const renderPage = (query = '') =>
  renderScreen(<PayPalPage />, { at: `/add-paypal-payment-method${query}` });

const findNextScreen = () => screen.findByTestId('elsewhere');

describe('linking PayPal', () => {
  // shows: payment-17, payment-20, api-42
  it('saves the account that the payer approved', async () => {
    servePageAs('payPal', { cspNonce: 'bm9uY2U=' });
    queueDecisions(agree);
    renderPage();
    expect(await screen.findByRole('heading', { name: 'Add Payment Method' })).toBeVisible();
    expect(await screen.findByText(TEXT)).toBeVisible();
    await loadProviderScript();
    expect(await findNextScreen()).toHaveTextContent(
      '/add-payment-method-success?operationType=ADD&paymentSourceId=pm_new',
    );
    expect(fakeChargebee.setPaymentIntent).toHaveBeenCalledWith({
      id: 'pi_1',
      status: 'inited',
      amount: 0,
    });
    expect(sent).toEqual([
      { operationType: 'ADD', paymentsource: 'PAYPAL', token: 'pi_1', quote: 'quote-1' },
    ]);
    expect(fakeChargebee.init).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ publishableKey: 'test_key', cspNonce: 'bm9uY2U=' }),
    );
  });

  // shows: payment-17
  it('replaces an account', async () => {
    queueDecisions(agree);
    renderPage('?operationType=UPDATE&paymentSourceId=pm_paypal');
    expect(await screen.findByRole('heading', { name: 'Update Payment Method' })).toBeVisible();
    expect(await screen.findByText('PayPal (ava@example.com)')).toBeVisible();
    await loadProviderScript();
    await findNextScreen();
    expect(sent).toMatchObject([{ operationType: 'UPDATE', paymentSourceId: 'pm_paypal' }]);
  });

  // shows: payment-19
  it.each([
    ['cancels', cancelPayment, /You left PayPal before finishing\./],
    ['cannot pay', failPayment, /PayPal could not take a payment from this account/],
  ])(
    'shows a message when the payer %s, and tries again with a new intent',
    async (_what, decision, words) => {
      queueDecisions(decision, agree);
      const { user } = renderPage();
      await loadProviderScript();
      expect(await screen.findByText(words)).toBeVisible();
      await user.click(screen.getByRole('button', { name: 'Try again' }));
      await findNextScreen();
      expect(sent).toMatchObject([{ token: 'pi_2' }]);
      expect(new Set(intents).size).toBe(2);
    },
  );

  it('asks before charging the amount due, and adds nothing if declined', async () => {
    payments = { ...payments, amountDue: 699 };
    queueDecisions(agree);
    const { user } = renderPage();
    await loadProviderScript();
    await screen.findByRole('dialog', { name: 'Pay $6.99 now?' });
    await user.click(screen.getByRole('button', { name: 'NO, CANCEL' }));
    expect(await screen.findByText('Nothing was added or charged.')).toBeVisible();
    expect(sent).toEqual([]);
  });

  it('shows why no payment intent could be created', async () => {
    server.use(
      http.post('*/api/payments/paymentToken', () =>
        errorResponse(429, 'throttled', 'Too many tries. Wait a while.'),
      ),
    );
    renderPage();
    await loadProviderScript();
    expect(await screen.findByText('Too many tries. Wait a while.')).toBeVisible();
    expect(fakeChargebee.pay).not.toHaveBeenCalled();
  });

  it('says that the provider’s script is blocked', async () => {
    renderPage();
    await blockProviderScript();
    expect(await screen.findByText('The secure payment form didn’t load')).toBeVisible();
    expect(intents).toEqual([]);
  });

  it.each([
    ['', ''],
    ['?operationType=UPDATE&paymentSourceId=pm_paypal', ''],
    ['?add=Minno-Plan', '&add=Minno-Plan'],
  ])('leads to the card form where the site does not take PayPal: %s', async (query, order) => {
    const site = makeSite({ paypalOffered: false });
    server.use(
      http.get('*/api/site', () => HttpResponse.json(site)),
      http.get('*/api/account/manage-plans', () => HttpResponse.json(makeManagePlans())),
    );
    renderPage(query);
    expect(await screen.findByRole('link', { name: 'Add a card' })).toHaveAttribute(
      'href',
      `/add-card-payment-method?operationType=ADD${order}`,
    );
    expect(screen.queryByText(TEXT)).toBeNull();
    expect(intents).toEqual([]);
  });

  it('redirects to the list if the URL names no PayPal account of this account', async () => {
    renderPage('?operationType=UPDATE&paymentSourceId=pm_visa');
    expect(await findNextScreen()).toHaveTextContent('/manage-payment-method');
    await waitFor(() => expect(useSnackbar.getState().visible).toBe(true));
  });
});
