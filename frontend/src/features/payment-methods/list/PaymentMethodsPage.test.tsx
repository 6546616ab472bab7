import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Payments } from '@/lib/api/types';
import { useModal } from '@/stores/modal';
import { useSnackbar } from '@/stores/snackbar';
import { makeCard, makePayments, makePayPal, makeSite } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import PaymentMethodsPage from './PaymentMethodsPage';

const MASTERCARD = makeCard({
  paymentSourceId: 'pm_master',
  brand: 'MASTERCARD',
  maskedNumber: '************4444',
  primaryPaymentSource: false,
  deletable: true,
});

let payments: Payments;
let sent: unknown[];
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  payments = makePayments({ card: [makeCard(), MASTERCARD], paypal: [makePayPal()] });
  sent = [];
  answer = () => HttpResponse.json({ ...payments, paymentSourceId: null, collected: 0 });
  server.use(
    http.get('*/api/payments/', () => HttpResponse.json(payments)),
    http.post('*/api/payments/updatePaymentSources', async ({ request }) => {
      sent.push(await request.json());
      return answer();
    }),
  );
});

const renderList = (query = '') =>
  renderScreen(<PaymentMethodsPage />, { at: `/manage-payment-method${query}` });
const findRadio = (name: RegExp | string) => screen.findByRole('radio', { name });
const findButton = (name: string) => screen.findByRole('button', { name });

/** The payment methods with another default. */
function paymentsWithDefault(id: string, overrides: Partial<Payments> = {}): Payments {
  const markDefault = <T extends { paymentSourceId: string }>(source: T) => ({
    ...source,
    primaryPaymentSource: source.paymentSourceId === id,
  });
  const { card, paypal } = payments;
  return {
    ...payments,
    card: card.map(markDefault),
    paypal: paypal.map(markDefault),
    ...overrides,
  };
}

describe('the list', () => {
  // shows: payment-1, payment-2, payment-18, api-40
  it('shows each method, the default, and the actions', async () => {
    renderList();
    const visa = await findRadio('Visa ending in 1111');
    expect(visa).toBeChecked();
    expect(visa).toHaveAccessibleDescription(/Default.*Ava Example Expires\s08\/2030/);
    expect(await findRadio('PayPal')).toHaveAccessibleDescription('ava@example.com');
    expect(screen.getByRole('link', { name: 'Edit Mastercard ending in 4444' })).toHaveAttribute(
      'href',
      '/update-card-payment-method?operationType=UPDATE&paymentSourceId=pm_master',
    );
    expect(screen.getByRole('link', { name: 'Edit PayPal (ava@example.com)' })).toHaveAttribute(
      'href',
      '/add-paypal-payment-method?operationType=UPDATE&paymentSourceId=pm_paypal',
    );
    expect(screen.getByRole('link', { name: 'ADD NEW PAYMENT METHOD' })).toHaveAttribute(
      'href',
      '/add-payment-method',
    );
  });

  it('keeps the plans that the address asks to add', async () => {
    renderList('?add=Minno-Plan');
    expect(await screen.findByRole('link', { name: 'ADD NEW PAYMENT METHOD' })).toHaveAttribute(
      'href',
      '/add-payment-method?add=Minno-Plan',
    );
  });

  // shows: rule-19
  it('shows a wallet with its name and card, and how to replace it', async () => {
    const wallet = makeCard({
      paymentSourceId: 'pm_apple',
      type: 'APPLE_PAY',
      typeName: 'Apple Pay',
      primaryPaymentSource: false,
      deletable: true,
    });
    payments = makePayments({ other: [wallet] });
    const { user } = renderList();
    const radio = await findRadio('Apple Pay');
    expect(radio).toHaveAccessibleDescription(/Visa ending in 1111/);
    expect(screen.getByText(/Apple Pay can’t be edited here\./)).toBeVisible();
    expect(
      screen.getByRole('link', { name: 'Replace Apple Pay (Visa ending in 1111)' }),
    ).toHaveAttribute('href', '/add-payment-method');
    await user.click(radio);
    await waitFor(() =>
      expect(sent).toMatchObject([
        { operationType: 'SETPRIMARY', paymentsource: 'OTHER', paymentSourceId: 'pm_apple' },
      ]),
    );
  });

  // shows: rule-19, payment-5
  it('says why a wallet that is the default can be neither edited nor deleted', async () => {
    const wallet = makeCard({ type: 'APPLE_PAY', typeName: 'Apple Pay', deletable: false });
    payments = makePayments({ card: [], other: [wallet] });
    renderList();
    await findRadio('Apple Pay');
    expect(screen.getByText(/^Apple Pay can’t be edited here\./)).toBeVisible();
    expect(screen.getByRole('button', { name: /^Delete/ })).toHaveAccessibleDescription(
      /^Your default payment method can’t be deleted/,
    );
  });

  // shows: payment-3
  it('lists the accepted brands', async () => {
    renderList();
    const accepted = await screen.findByRole('region', { name: 'We accept' });
    const marks = within(accepted).getAllByRole('img');
    expect(marks.map((mark) => mark.getAttribute('aria-label'))).toEqual([
      'Mastercard',
      'Visa',
      'Amex',
      'Discover',
      'JCB',
      'Diners Club',
      'PayPal',
    ]);
  });

  it('says when a card has expired or expires soon', async () => {
    const expiring = { ...MASTERCARD, status: 'EXPIRING' as const };
    payments = makePayments({ card: [makeCard({ status: 'EXPIRED' }), expiring] });
    renderList();
    expect(await findRadio(/Visa/)).toHaveAccessibleDescription(/Expired\s08\/2030/);
    expect(await findRadio(/Mastercard/)).toHaveAccessibleDescription(/Expires soon/);
  });

  it('shows an empty state', async () => {
    payments = makePayments({ card: [] });
    renderList();
    expect(await screen.findByText('No payment method yet')).toBeVisible();
  });

  it('offers no PayPal in the empty state where the site does not take it', async () => {
    payments = makePayments({ card: [] });
    const site = makeSite({ paypalOffered: false });
    server.use(http.get('*/api/site', () => HttpResponse.json(site)));
    renderList();
    expect(await screen.findByText('Add a card to start a subscription.')).toBeVisible();
  });

  it('shows a failure to load, and retries', async () => {
    server.use(
      http.get('*/api/payments/', () => errorResponse(404, 'not_found', 'No.'), { once: true }),
    );
    const { user } = renderList();
    await user.click(await findButton('Try again'));
    expect(await findRadio('Visa ending in 1111')).toBeVisible();
  });
});

describe('the default', () => {
  // shows: payment-4
  it('changes at once, with a message', async () => {
    const newPayments = paymentsWithDefault('pm_master');
    answer = () =>
      HttpResponse.json({ ...newPayments, paymentSourceId: 'pm_master', collected: 0 });
    const { user } = renderList();
    await findRadio(/Visa/);
    payments = newPayments;
    await user.click(await findRadio(/Mastercard/));
    expect(
      await screen.findByText('Mastercard ending in 4444 is now your default payment method.'),
    ).toBeVisible();
    expect(sent).toEqual([
      {
        operationType: 'SETPRIMARY',
        paymentsource: 'CARD',
        paymentSourceId: 'pm_master',
        quote: 'quote-1',
      },
    ]);
    expect(await findRadio(/Mastercard/)).toBeChecked();
  });

  const answerWithDefault = (id: string) => {
    payments = paymentsWithDefault(id);
    return HttpResponse.json({ ...payments, paymentSourceId: id, collected: 0 });
  };
  const requestedIds = () =>
    sent.map((order) => (order as { paymentSourceId: string }).paymentSourceId);

  it('ignores another choice while a change is running', async () => {
    let sendAnswer = () => {};
    answer = () =>
      new Promise((resolve) => {
        sendAnswer = () => resolve(answerWithDefault('pm_master'));
      });
    const { user } = renderList();
    await user.click(await findRadio(/Mastercard/));
    await waitFor(() => expect(sent).toHaveLength(1));
    await user.click(await findRadio('PayPal'));
    expect(await findRadio('PayPal')).not.toBeChecked();
    expect(await findRadio(/Mastercard/)).toBeChecked();
    sendAnswer();
    expect(await screen.findByText(/Mastercard .* is now your default/)).toBeVisible();
    expect(await findRadio(/Mastercard/)).toBeChecked();
    expect(requestedIds()).toEqual(['pm_master']);
  });

  it('can be changed again right after a change', async () => {
    answer = () => answerWithDefault('pm_master');
    const { user } = renderList();
    await user.click(await findRadio(/Mastercard/));
    expect(await screen.findByText(/Mastercard .* is now your default/)).toBeVisible();
    answer = () => answerWithDefault('pm_paypal');
    await user.click(await findRadio('PayPal'));
    expect(await screen.findByText(/PayPal .* is now your default/)).toBeVisible();
    expect(requestedIds()).toEqual(['pm_master', 'pm_paypal']);
  });

  // shows: rule-10, payment-9
  it('asks for confirmation while something is due, and stays if declined', async () => {
    payments = { ...payments, amountDue: 699 };
    const { user } = renderList();
    await user.click(await findRadio(/Mastercard/));
    const dialog = await screen.findByRole('dialog', { name: 'Pay $6.99 now?' });
    expect(dialog).toHaveTextContent(
      '$6.99 due will be charged now to Mastercard ending in 4444. It becomes your default payment method.',
    );
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    expect(sent).toEqual([]);
    expect(await findRadio(/Visa/)).toBeChecked();
  });

  async function payAmountDue() {
    const { user } = renderList();
    await user.click(await findButton('Pay $6.99 now'));
    await user.click(await findButton('YES, PAY $6.99'));
    return user;
  }

  it('pays the amount due', async () => {
    const newPayments = { ...payments, amountDue: 0 };
    payments = { ...payments, amountDue: 699 };
    answer = () => {
      payments = newPayments;
      return HttpResponse.json({ ...newPayments, paymentSourceId: 'pm_visa', collected: 699 });
    };
    await payAmountDue();
    expect(await screen.findByText('$6.99 was charged.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'You owe $6.99' })).toBeNull();
    expect(sent).toMatchObject([{ operationType: 'SETPRIMARY', paymentSourceId: 'pm_visa' }]);
  });

  it('shows what is still due after a declined payment', async () => {
    payments = { ...payments, amountDue: 699 };
    await payAmountDue();
    expect(await screen.findByText('$6.99 is still due.')).toBeVisible();
    expect(screen.getByText('The payment didn’t go through.')).toBeVisible();
    expect(screen.getByRole('region', { name: 'You owe $6.99' })).toBeVisible();
  });

  it('says in the page, too, why paying was refused, until the next change', async () => {
    payments = { ...payments, amountDue: 699 };
    answer = () => errorResponse(409, 'payment_method_unusable', 'This card can’t be charged.');
    const user = await payAmountDue();
    expect(await screen.findByText('This card can’t be charged.')).toBeVisible();
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(await findRadio(/Mastercard/));
    expect(screen.queryByText('This card can’t be charged.')).toBeNull();
  });

  it('drops the note about a new amount when its question is closed', async () => {
    payments = { ...payments, amountDue: 699 };
    answer = () => {
      payments = { ...payments, amountDue: 799, quote: 'new' };
      return errorResponse(409, 'quote_changed', 'The amount has changed.', { extra: payments });
    };
    const user = await payAmountDue();
    const dialog = await screen.findByRole('dialog', { name: 'Pay $7.99 now?' });
    expect(within(dialog).getByText('The amount has changed.')).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    expect(screen.queryByText('The amount has changed.')).toBeNull();
    expect(screen.getByRole('region', { name: 'You owe $7.99' })).toBeVisible();
  });

  it('says that nothing is due any more if it was paid meanwhile', async () => {
    const newPayments = { ...payments, quote: 'new' };
    payments = { ...payments, amountDue: 699 };
    answer = () => {
      payments = newPayments;
      answer = () =>
        HttpResponse.json({ ...newPayments, paymentSourceId: 'pm_visa', collected: 0 });
      return errorResponse(409, 'quote_changed', 'The amount has changed.', { extra: newPayments });
    };
    const user = await payAmountDue();
    await user.click(await findButton('YES, CONTINUE'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(await screen.findByText('You’re all paid up.')).toBeVisible();
  });

  // shows: rule-11, payment-5
  it('cannot be deleted while a plan is active, and says why', async () => {
    const { user } = renderList();
    const deletion = await findButton('Delete Visa ending in 1111');
    const reason = 'Your default payment method can’t be deleted because you have an active plan.';
    expect(deletion).toHaveAttribute('aria-disabled', 'true');
    expect(deletion).toHaveAccessibleDescription(reason);
    await user.click(deletion);
    expect(useSnackbar.getState()).toMatchObject({ content: reason, severity: 'warning' });
    expect(useModal.getState().open).toBe(false);
  });
});

describe('deleting', () => {
  const ONLY = /This is your only payment method\. .* add a new one to reactivate a subscription/;
  const DEFAULT = /This is your default payment method\./;
  const deletableCard = makeCard({ deletable: true });

  // shows: payment-6, payment-7, payment-8
  it.each([
    ['the only one', [deletableCard], 'Delete Visa ending in 1111', ONLY],
    ['the default', [deletableCard, MASTERCARD], 'Delete Visa ending in 1111', DEFAULT],
  ])('names the method and shows the warning for %s', async (_which, card, name, warning) => {
    payments = makePayments({ card });
    const { user } = renderList();
    await user.click(await findButton(name));
    expect(useModal.getState()).toMatchObject({
      open: true,
      title: 'Remove Visa ending in 1111?',
      message: 'Are you sure you want to delete your payment method?',
      confirmBtnText: 'YES, REMOVE',
      warningContent: expect.stringMatching(warning),
    });
  });

  // shows: payment-6, payment-8
  it('warns of nothing where nothing changes', async () => {
    payments = makePayments({ card: [deletableCard, MASTERCARD] });
    const { user } = renderList();
    await user.click(await findButton('Delete Mastercard ending in 4444'));
    expect(useModal.getState()).toMatchObject({
      title: 'Remove Mastercard ending in 4444?',
      message: expect.stringMatching(
        /^Are you sure you want to delete your payment method\? .*not your default does not affect your active subscription\.$/,
      ),
      warningContent: null,
    });
  });

  it('removes the method at once, with a message', async () => {
    const { user } = renderList();
    await user.click(await findButton('Delete Mastercard ending in 4444'));
    payments = makePayments();
    const { onConfirm, modalData } = useModal.getState();
    await onConfirm(modalData);
    expect(await screen.findByText('Mastercard ending in 4444 was removed.')).toBeVisible();
    // The button that had it is gone with its row.
    await waitFor(() =>
      expect(screen.getByRole('heading', { name: 'Your payment methods' })).toHaveFocus(),
    );
    expect(sent).toEqual([
      { operationType: 'DELETE', paymentsource: 'CARD', paymentSourceId: 'pm_master' },
    ]);
    await waitFor(() => expect(screen.queryByRole('radio', { name: /Mastercard/ })).toBeNull());
  });

  it('shows why it was refused', async () => {
    answer = () => errorResponse(409, 'payment_method_in_use', 'This one is needed.');
    const { user } = renderList();
    await user.click(await findButton('Delete Mastercard ending in 4444'));
    const { onConfirm, modalData } = useModal.getState();
    await onConfirm(modalData);
    expect(useSnackbar.getState()).toMatchObject({
      content: 'This one is needed.',
      severity: 'error',
    });
    expect(await screen.findByText('This one is needed.')).toBeVisible();
  });
});
