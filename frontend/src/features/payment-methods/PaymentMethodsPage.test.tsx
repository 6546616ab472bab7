import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { useModal } from '@/stores/modal';
import { useSnackbar } from '@/stores/snackbar';
import { aCard, aPayPal, somePayments } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import AddPaymentMethodPage from './AddPaymentMethodPage';
import PaymentMethodsPage from './PaymentMethodsPage';
import SuccessPage from './SuccessPage';

const MASTERCARD = aCard({
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
  payments = somePayments({ card: [aCard(), MASTERCARD], paypal: [aPayPal()] });
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

const show = () => renderScreen(<PaymentMethodsPage />, { at: '/manage-payment-method' });
const radio = (name: RegExp | string) => screen.findByRole('radio', { name });
const button = (name: string) => screen.findByRole('button', { name });

/** The lists with another default. */
function withDefault(id: string, differing: Partial<Payments> = {}): Payments {
  const chosen = <T extends { paymentSourceId: string }>(source: T) => ({
    ...source,
    primaryPaymentSource: source.paymentSourceId === id,
  });
  const { card, paypal } = payments;
  return { ...payments, card: card.map(chosen), paypal: paypal.map(chosen), ...differing };
}

describe('the list', () => {
  it('shows each method, which is the default, and the ways to change it', async () => {
    show();
    const visa = await radio('Visa ending in 1111');
    expect(visa).toBeChecked();
    expect(visa).toHaveAccessibleDescription(/Default.*Ava Example Expires\s08\/2030/);
    expect(await radio('PayPal')).toHaveAccessibleDescription('ava@example.com');
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

  it('names what is accepted', async () => {
    show();
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

  it('says in words that a card has expired or soon will', async () => {
    const expiring = { ...MASTERCARD, status: 'EXPIRING' as const };
    payments = somePayments({ card: [aCard({ status: 'EXPIRED' }), expiring] });
    show();
    expect(await radio(/Visa/)).toHaveAccessibleDescription(/Expired\s08\/2030/);
    expect(await radio(/Mastercard/)).toHaveAccessibleDescription(/Expires soon/);
  });

  it('says what would be here while there is nothing', async () => {
    payments = somePayments({ card: [] });
    show();
    expect(await screen.findByText('No payment method yet')).toBeVisible();
  });

  it('says that it could not be read, and reads it again', async () => {
    server.use(http.get('*/api/payments/', () => refusal(404, 'not_found', 'No.'), { once: true }));
    const { user } = show();
    await user.click(await button('Try again'));
    expect(await radio('Visa ending in 1111')).toBeVisible();
  });
});

describe('the default', () => {
  it('is chosen at once, and that is said', async () => {
    const after = withDefault('pm_master');
    answer = () => HttpResponse.json({ ...after, paymentSourceId: 'pm_master', collected: 0 });
    const { user } = show();
    await radio(/Visa/);
    payments = after;
    await user.click(await radio(/Mastercard/));
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
    expect(await radio(/Mastercard/)).toBeChecked();
  });

  const becomes = (id: string) => {
    payments = withDefault(id);
    return HttpResponse.json({ ...payments, paymentSourceId: id, collected: 0 });
  };
  const chosen = () => sent.map((order) => (order as { paymentSourceId: string }).paymentSourceId);

  it('stays the one that is becoming it, whatever else is chosen meanwhile', async () => {
    let settle = () => {};
    answer = () =>
      new Promise((resolve) => {
        settle = () => resolve(becomes('pm_master'));
      });
    const { user } = show();
    await user.click(await radio(/Mastercard/));
    await waitFor(() => expect(sent).toHaveLength(1));
    await user.click(await radio('PayPal'));
    expect(await radio('PayPal')).not.toBeChecked();
    expect(await radio(/Mastercard/)).toBeChecked();
    settle();
    expect(await screen.findByText(/Mastercard .* is now your default/)).toBeVisible();
    expect(await radio(/Mastercard/)).toBeChecked();
    expect(chosen()).toEqual(['pm_master']);
  });

  it('can be another at once after it was changed', async () => {
    answer = () => becomes('pm_master');
    const { user } = show();
    await user.click(await radio(/Mastercard/));
    expect(await screen.findByText(/Mastercard .* is now your default/)).toBeVisible();
    answer = () => becomes('pm_paypal');
    await user.click(await radio('PayPal'));
    expect(await screen.findByText(/PayPal .* is now your default/)).toBeVisible();
    expect(chosen()).toEqual(['pm_master', 'pm_paypal']);
  });

  it('is asked about first while something is due, and stays when one says no', async () => {
    payments = { ...payments, amountDue: 699 };
    const { user } = show();
    await user.click(await radio(/Mastercard/));
    const dialog = await screen.findByRole('dialog', { name: 'Pay $6.99 now?' });
    expect(dialog).toHaveTextContent(
      '$6.99 due will be charged now to Mastercard ending in 4444. It becomes your default payment method.',
    );
    await user.click(within(dialog).getByRole('button', { name: 'NO, CANCEL' }));
    expect(sent).toEqual([]);
    expect(await radio(/Visa/)).toBeChecked();
  });

  async function paid() {
    const { user } = show();
    await user.click(await button('Pay $6.99 now'));
    await user.click(await button('YES, PAY $6.99'));
  }

  it('pays what is due', async () => {
    const after = { ...payments, amountDue: 0 };
    payments = { ...payments, amountDue: 699 };
    answer = () => {
      payments = after;
      return HttpResponse.json({ ...after, paymentSourceId: 'pm_visa', collected: 699 });
    };
    await paid();
    expect(await screen.findByText('$6.99 was charged.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'You have $6.99 due' })).toBeNull();
    expect(sent).toMatchObject([{ operationType: 'SETPRIMARY', paymentSourceId: 'pm_visa' }]);
  });

  it('says what is still due after a decline', async () => {
    payments = { ...payments, amountDue: 699 };
    await paid();
    expect(await screen.findByText('$6.99 is still due.')).toBeVisible();
    expect(screen.getByText('The payment did not go through.')).toBeVisible();
    expect(screen.getByRole('region', { name: 'You have $6.99 due' })).toBeVisible();
  });

  it('cannot be deleted while a plan is live, and says why', async () => {
    const { user } = show();
    const deletion = await button('Delete Visa ending in 1111');
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
  const OTHER = /not your default does not affect your active subscription/;
  const free = aCard({ deletable: true });

  it.each([
    ['the only one', [free], 'Delete Visa ending in 1111', ONLY],
    ['the default', [free, MASTERCARD], 'Delete Visa ending in 1111', DEFAULT],
    ['another', [free, MASTERCARD], 'Delete Mastercard ending in 4444', OTHER],
  ])('warns of what it means for %s', async (_which, card, name, warning) => {
    payments = somePayments({ card });
    const { user } = show();
    await user.click(await button(name));
    expect(useModal.getState()).toMatchObject({
      open: true,
      message: 'Are you sure you want to delete your payment method?',
      confirmBtnText: 'YES, REMOVE',
      warningContent: expect.stringMatching(warning),
    });
  });

  it('takes effect at once, and is said', async () => {
    const { user } = show();
    await user.click(await button('Delete Mastercard ending in 4444'));
    payments = somePayments();
    const { onConfirm, modalData } = useModal.getState();
    await onConfirm(modalData);
    expect(await screen.findByText('Mastercard ending in 4444 has been removed.')).toBeVisible();
    expect(sent).toEqual([
      { operationType: 'DELETE', paymentsource: 'CARD', paymentSourceId: 'pm_master' },
    ]);
    await waitFor(() => expect(screen.queryByRole('radio', { name: /Mastercard/ })).toBeNull());
  });

  it('says why it was refused', async () => {
    answer = () => refusal(409, 'payment_method_in_use', 'This one is needed.');
    const { user } = show();
    await user.click(await button('Delete Mastercard ending in 4444'));
    const { onConfirm, modalData } = useModal.getState();
    await onConfirm(modalData);
    expect(useSnackbar.getState()).toMatchObject({
      content: 'This one is needed.',
      severity: 'error',
    });
  });
});

describe('choosing what to add', () => {
  const choose = () => renderScreen(<AddPaymentMethodPage />, { at: '/add-payment-method' });

  it('asks for a choice', async () => {
    const { user } = choose();
    await user.click(await button('Continue'));
    expect(await radio('Card')).toHaveAccessibleDescription('Choose payment method to continue');
    expect(await radio('Card')).toHaveFocus();
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Choose payment method to continue',
      severity: 'warning',
    });
  });

  it.each([
    ['Card', '/add-card-payment-method?operationType=ADD'],
    ['PayPal', '/add-paypal-payment-method?operationType=ADD'],
  ])('goes on to %s', async (kind, address) => {
    const { user } = choose();
    await user.click(await radio(kind));
    await user.click(await button('Continue'));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(address);
  });

  it('says beforehand what will be charged', async () => {
    payments = { ...payments, amountDue: 699 };
    choose();
    expect(await screen.findByText('$6.99 due will be charged now')).toBeVisible();
  });
});

describe('what was added', () => {
  const added = (query: string, state: unknown = null) =>
    renderScreen(<SuccessPage />, { at: `/add-payment-method-success${query}`, state });

  it('is shown with what was collected', async () => {
    added('?paymentSourceId=pm_visa', { collected: 699, wasTried: true });
    expect(await screen.findByRole('heading', { name: 'Card Information Added' })).toBeVisible();
    const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
    expect(terms).toEqual(['Card number', 'Name on card', 'Expires']);
    expect(screen.getByText('$6.99 was charged.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'BACK TO MANAGE PAYMENT METHOD' })).toHaveAttribute(
      'href',
      '/manage-payment-method',
    );
  });

  it('is shown after a reload too, with what is still due and nothing that is not known', async () => {
    payments = { ...payments, amountDue: 699 };
    added('?paymentSourceId=pm_paypal');
    expect(
      await screen.findByRole('heading', { name: 'Successfully Added PayPal Account' }),
    ).toBeVisible();
    expect(screen.getByText('$6.99 is still due.')).toBeVisible();
    expect(screen.queryByText('The payment did not go through.')).toBeNull();
  });

  it('leads to the list where nothing of the kind is kept', async () => {
    added('?paymentSourceId=pm_gone');
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/manage-payment-method');
  });
});
