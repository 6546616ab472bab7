import { act, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useSnackbar } from '@/stores/snackbar';
import { fakeChargebee, loadProviderScript, resetFakeChargebee } from '@/testing/fakeChargebee';
import { makePayments } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import CardPage from './CardPage';

let payments: Payments;
let intents: unknown[];
let sent: unknown[];
let intentAnswers: (() => Response)[];

beforeEach(() => {
  resetFakeChargebee();
  payments = makePayments({ amountDue: 699 });
  intents = [];
  sent = [];
  intentAnswers = [];
  fakeChargebee.authorizeStoredCard.mockImplementation(async () => ({
    id: `pi_${intents.length}`,
    status: 'authorized',
  }));
  server.use(
    http.get('*/api/payments/', () => HttpResponse.json(payments)),
    http.post('*/api/payments/paymentToken', async ({ request }) => {
      intents.push(await request.json());
      const answer = intentAnswers.shift();
      return answer ? answer() : HttpResponse.json({ id: `pi_${intents.length}`, amount: 699 });
    }),
    http.post('*/api/payments/updatePaymentSources', async ({ request }) => {
      sent.push(await request.json());
      const paid = { ...makePayments(), paymentSourceId: 'pm_visa', collected: 699 };
      return HttpResponse.json(paid);
    }),
  );
});

async function renderPayment() {
  const view = renderScreen(<CardPage />, {
    at: '/update-card-payment-method?operationType=SETPRIMARY&paymentSourceId=pm_visa',
  });
  expect(await screen.findByRole('heading', { name: 'Confirm Payment' })).toBeVisible();
  return view.user;
}

const findPayButton = (name = 'Pay $6.99 now') => screen.findByRole('button', { name });
const findNextScreen = () => screen.findByTestId('elsewhere');

// shows: rule-20
describe('paying with a stored card', () => {
  it('pays once the bank has authorized the shown amount', async () => {
    const user = await renderPayment();
    await loadProviderScript();
    await user.click(await findPayButton());

    expect(await findNextScreen()).toHaveTextContent('/manage-payment-method');
    expect(intents).toEqual([
      { paymentsource: 'CARD', paymentSourceId: 'pm_visa', quote: 'quote-1' },
    ]);
    expect(fakeChargebee.setPaymentIntent).toHaveBeenCalledWith({ id: 'pi_1', amount: 699 });
    expect(sent).toEqual([
      {
        operationType: 'SETPRIMARY',
        paymentsource: 'CARD',
        paymentSourceId: 'pm_visa',
        token: 'pi_1',
        quote: 'quote-1',
      },
    ]);
    expect(useSnackbar.getState().content).toContain('$6.99 was charged.');
  });

  it('says how the bank’s confirmation ended, and can be tried again', async () => {
    fakeChargebee.authorizeStoredCard.mockRejectedValueOnce({
      type: 'GatewayError',
      name: 'authentication_cancelled',
    });
    const user = await renderPayment();
    await loadProviderScript();
    await user.click(await findPayButton());
    expect(await screen.findByText(/You left your bank’s confirmation/)).toHaveTextContent(
      'You left your bank’s confirmation before finishing. Nothing was charged.',
    );
    expect(sent).toEqual([]);

    await user.click(await findPayButton());
    await findNextScreen();
    expect(sent).toMatchObject([{ token: 'pi_2' }]);
  });

  it('leads to another card if the bank declines this one', async () => {
    fakeChargebee.authorizeStoredCard.mockRejectedValueOnce({ type: 'GatewayError', name: '3001' });
    const user = await renderPayment();
    await loadProviderScript();
    await user.click(await findPayButton());
    expect(await screen.findByText(/^Your bank declined/)).toHaveTextContent(
      'Your bank declined this payment. Nothing was charged. Try again later, or use another card.',
    );
    expect(screen.getByRole('link', { name: 'Use another card' })).toHaveAttribute(
      'href',
      '/add-card-payment-method?operationType=ADD',
    );
  });

  it('sends nothing in the session of another subscriber who has signed in meanwhile', async () => {
    let confirm = () => {};
    fakeChargebee.authorizeStoredCard.mockImplementation(
      () =>
        new Promise((resolve) => {
          confirm = () => resolve({ id: 'pi_1', status: 'authorized' });
        }),
    );
    const user = await renderPayment();
    await loadProviderScript();
    await user.click(await findPayButton());
    await screen.findByText(/^Checking with your bank/);
    act(() => useAuth.getState().signIn('token-of-the-next'));
    confirm();
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(sent).toEqual([]);
  });

  it('shows the new amount before anything is authorized', async () => {
    intentAnswers = [
      () => {
        payments = makePayments({ amountDue: 1498, quote: 'quote-2' });
        return errorResponse(409, 'quote_changed', 'What is due has changed.');
      },
    ];
    const user = await renderPayment();
    await loadProviderScript();
    await user.click(await findPayButton());
    expect(await screen.findByText('What is due has changed.')).toBeVisible();
    expect(fakeChargebee.authorizeStoredCard).not.toHaveBeenCalled();

    await user.click(await findPayButton('Pay $14.98 now'));
    await findNextScreen();
    expect(sent).toMatchObject([{ quote: 'quote-2' }]);
  });

  it('says that nothing is due', async () => {
    payments = makePayments();
    await renderPayment();
    expect(await screen.findByText(/^You’re all paid up\./)).toBeVisible();
    expect(screen.queryByRole('button', { name: /Pay/ })).toBeNull();
    // A sign-in in between has lost the change, if there was one.
    expect(screen.getByText(/check in your account whether it was made\.$/)).toBeVisible();
    expect(screen.getByRole('link', { name: 'Go to your account' })).toBeVisible();
  });
});

// shows: rule-20
describe('paying for a change', () => {
  const change = {
    path: '/api/account/resume',
    body: { subscriptionId: ['sub_1'], quote: 'quote-9' },
    amounts: [799],
    currencyCode: 'EUR',
    doneMessage: 'Gospel TV is active again.',
  };

  async function renderCharge(declinedCharge: object) {
    payments = makePayments();
    const view = renderScreen(<CardPage />, {
      at: '/update-card-payment-method?operationType=SETPRIMARY&paymentSourceId=pm_visa',
      state: { declinedCharge },
    });
    await screen.findByRole('heading', { name: 'Confirm Payment' });
    return view.user;
  }

  it('makes the change that was chosen once the bank has authorized its charge', async () => {
    const resumed: unknown[] = [];
    server.use(
      http.post('*/api/account/resume', async ({ request }) => {
        resumed.push(await request.json());
        return HttpResponse.json({ plans: [] });
      }),
    );
    const user = await renderCharge(change);
    await loadProviderScript();
    await user.click(await findPayButton('Pay €7.99 now'));

    expect(await findNextScreen()).toHaveTextContent('/dashboard');
    expect(intents).toEqual([
      { paymentsource: 'CARD', paymentSourceId: 'pm_visa', amount: 799, currencyCode: 'EUR' },
    ]);
    expect(resumed).toEqual([
      { subscriptionId: ['sub_1'], quote: 'quote-9', paymentIntents: ['pi_1'] },
    ]);
    expect(useSnackbar.getState().content).toBe('Gospel TV is active again.');
    expect(sent).toEqual([]);
  });

  it('keeps the change for another try if the bank does not confirm it', async () => {
    fakeChargebee.authorizeStoredCard.mockRejectedValueOnce({
      type: 'GatewayError',
      name: 'authentication_failed',
    });
    const user = await renderCharge(change);
    await loadProviderScript();
    await user.click(await findPayButton('Pay €7.99 now'));
    expect(await screen.findByText(/Your bank couldn’t confirm that it’s you/)).toBeVisible();
    expect(await findPayButton('Pay €7.99 now')).toBeEnabled();
  });

  it('has the bank authorize each charge once, also over a second try', async () => {
    const added: unknown[] = [];
    server.use(
      http.post('*/api/account/add-remove-service', async ({ request }) => {
        added.push(await request.json());
        return HttpResponse.json({});
      }),
    );
    fakeChargebee.authorizeStoredCard
      .mockResolvedValueOnce({ id: 'pi_faith', status: 'authorized' })
      .mockRejectedValueOnce({ type: 'GatewayError', name: 'authentication_cancelled' })
      .mockResolvedValueOnce({ id: 'pi_kids', status: 'authorized' });
    const user = await renderCharge({
      ...change,
      path: '/api/account/add-remove-service',
      body: { planIds: ['faith-family-plan', 'Minno-Plan'], quote: 'quote-9' },
      amounts: [699, 899],
    });
    expect(
      await screen.findByText(/is 2 payments\. Your bank may ask you to confirm each\./),
    ).toBeVisible();
    await loadProviderScript();
    await user.click(await findPayButton('Pay €15.98 now'));
    expect(await screen.findByText(/You left your bank’s confirmation/)).toBeVisible();
    expect(added).toEqual([]);

    await user.click(await findPayButton('Pay €15.98 now'));
    await findNextScreen();
    expect(intents).toMatchObject([{ amount: 699 }, { amount: 899 }, { amount: 899 }]);
    expect(added).toMatchObject([{ paymentIntents: ['pi_faith', 'pi_kids'] }]);
  });

  it('tells which of several payments the bank is asked about', async () => {
    const answers: ((intent: { id: string; status: string }) => void)[] = [];
    fakeChargebee.authorizeStoredCard.mockImplementation(
      () => new Promise((resolve) => answers.push(resolve)),
    );
    const user = await renderCharge({ ...change, amounts: [699, 899] });
    await loadProviderScript();
    await user.click(await findPayButton('Pay €15.98 now'));
    expect(await screen.findByText(/Payment 1 of 2\. Checking with your bank/)).toBeVisible();
    answers[0]?.({ id: 'pi_1', status: 'authorized' });
    expect(await screen.findByText(/Payment 2 of 2\. Checking with your bank/)).toBeVisible();
  });

  it('asks the bank again for a confirmation that has expired', async () => {
    const resumed: unknown[] = [];
    const expired = errorResponse(400, 'payment_method_invalid', 'Please enter them again.');
    server.use(
      http.post('*/api/account/resume', async ({ request }) => {
        resumed.push(await request.json());
        return resumed.length === 1 ? expired : HttpResponse.json({ plans: [] });
      }),
    );
    const user = await renderCharge(change);
    await loadProviderScript();
    await user.click(await findPayButton('Pay €7.99 now'));
    expect(await screen.findByText(/bank’s confirmation has expired/)).toBeVisible();

    await user.click(await findPayButton('Pay €7.99 now'));
    await findNextScreen();
    expect(resumed).toMatchObject([{ paymentIntents: ['pi_1'] }, { paymentIntents: ['pi_2'] }]);
  });

  it.each([
    [502, 'billing_partial', 'We changed some of your subscriptions.'],
    [409, 'quote_changed', 'The amount has changed.'],
  ])('does not ask the bank again for a change that is outdated: %s %s', async (...refusal) => {
    server.use(http.post('*/api/account/resume', () => errorResponse(...refusal)));
    const user = await renderCharge({ ...change, amounts: [699, 899] });
    await loadProviderScript();
    await user.click(await findPayButton('Pay €15.98 now'));

    expect(await screen.findByText(refusal[2])).toBeVisible();
    expect(screen.queryByRole('button', { name: /Pay/ })).toBeNull();
    await user.click(screen.getByRole('link', { name: 'Go to your account' }));
    expect(await findNextScreen()).toHaveTextContent('/dashboard');
  });

  it.each([[[]], [[0]], [['799']], [799], [undefined]])(
    'ignores charges of %j',
    async (amounts) => {
      await renderCharge({ ...change, amounts });
      expect(await screen.findByText(/^You’re all paid up\./)).toBeVisible();
    },
  );

  it('ignores a state that names no change of ours', async () => {
    await renderCharge({ ...change, path: '/api/account/cancel' });
    expect(await screen.findByText(/^You’re all paid up\./)).toBeVisible();
  });
});
