import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import type { PayPalCallbacks } from '@/lib/chargebee';
import { useSnackbar } from '@/stores/snackbar';
import { aPayPal, somePayments } from '@/testing/data';
import { forgetProvider, provider, scriptComes, scriptIsBlocked } from '@/testing/provider';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import PayPalPage from './PayPalPage';

const TEXT =
  'Click the PayPal logo below to securely link your PayPal account directly via PayPal.';

let payments: Payments;
let intents: (string | null)[];
let sent: unknown[];

beforeEach(() => {
  forgetProvider();
  payments = somePayments({ paypal: [aPayPal()] });
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

type Decision = (callbacks: PayPalCallbacks) => Promise<unknown>;

/** What the payer decides, one try after the other. */
function decides(...decisions: Decision[]) {
  for (const decision of decisions) provider.pay.mockImplementationOnce(decision);
}

const agrees: Decision = (callbacks) => {
  const agreed = { id: `pi_${intents.length}`, status: 'authorized' };
  callbacks.success?.(agreed);
  return Promise.resolve(agreed);
};

const cancels: Decision = (callbacks) => {
  callbacks.cancel?.();
  return Promise.reject(new Error('The payer cancelled.'));
};

const fails: Decision = (callbacks) => {
  const error = { error_msg: 'PayPal could not take a payment from this account' };
  callbacks.error?.({ id: 'pi_1' }, error);
  return Promise.reject(error);
};

const show = (query = '') =>
  renderScreen(<PayPalPage />, { at: `/add-paypal-payment-method${query}` });

const gone = () => screen.findByTestId('elsewhere');

describe('linking PayPal', () => {
  it('keeps what the payer has agreed to', async () => {
    decides(agrees);
    show();
    expect(await screen.findByRole('heading', { name: 'Add Payment Method' })).toBeVisible();
    expect(await screen.findByText(TEXT)).toBeVisible();
    await scriptComes();
    expect(await gone()).toHaveTextContent(
      '/add-payment-method-success?operationType=ADD&paymentSourceId=pm_new',
    );
    expect(provider.setPaymentIntent).toHaveBeenCalledWith({
      id: 'pi_1',
      status: 'inited',
      amount: 0,
    });
    expect(sent).toEqual([
      { operationType: 'ADD', paymentsource: 'PAYPAL', token: 'pi_1', quote: 'quote-1' },
    ]);
  });

  it('puts another account in the place of one', async () => {
    decides(agrees);
    show('?operationType=UPDATE&paymentSourceId=pm_paypal');
    expect(await screen.findByRole('heading', { name: 'Update Payment Method' })).toBeVisible();
    expect(await screen.findByText('PayPal (ava@example.com)')).toBeVisible();
    await scriptComes();
    await gone();
    expect(sent).toMatchObject([{ operationType: 'UPDATE', paymentSourceId: 'pm_paypal' }]);
  });

  it.each([
    ['turns back', cancels, /You left PayPal before it was done\./],
    ['cannot pay', fails, /PayPal could not take a payment from this account/],
  ])(
    'says so when the payer %s, and tries again with a new intent',
    async (_what, decision, words) => {
      decides(decision, agrees);
      const { user } = show();
      await scriptComes();
      expect(await screen.findByText(words)).toBeVisible();
      await user.click(screen.getByRole('button', { name: 'Try again' }));
      await gone();
      expect(sent).toMatchObject([{ token: 'pi_2' }]);
      expect(new Set(intents).size).toBe(2);
    },
  );

  it('asks before it charges what is due, and says that nothing was added when one says no', async () => {
    payments = { ...payments, amountDue: 699 };
    decides(agrees);
    const { user } = show();
    await scriptComes();
    await screen.findByRole('dialog', { name: 'Pay $6.99 now?' });
    await user.click(screen.getByRole('button', { name: 'NO, CANCEL' }));
    expect(await screen.findByText('Nothing was added, and nothing was charged.')).toBeVisible();
    expect(sent).toEqual([]);
  });

  it('says why no intent could be made', async () => {
    server.use(
      http.post('*/api/payments/paymentToken', () =>
        refusal(429, 'throttled', 'Too many tries. Wait a while.'),
      ),
    );
    show();
    await scriptComes();
    expect(await screen.findByText('Too many tries. Wait a while.')).toBeVisible();
    expect(provider.pay).not.toHaveBeenCalled();
  });

  it('says that the provider’s script is blocked', async () => {
    show();
    await scriptIsBlocked();
    expect(await screen.findByText('The secure payment form didn’t load')).toBeVisible();
    expect(intents).toEqual([]);
  });

  it('sends one to the list without an account of one’s own to update', async () => {
    show('?operationType=UPDATE&paymentSourceId=pm_visa');
    expect(await gone()).toHaveTextContent('/manage-payment-method');
    await waitFor(() => expect(useSnackbar.getState().visible).toBe(true));
  });
});
