import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { useAuth } from '@/stores/auth';
import { useSnackbar } from '@/stores/snackbar';
import {
  blockProviderScript,
  fakeChargebee,
  loadProviderScript,
  resetFakeChargebee,
  typeInHostedField,
  typeWholeCard,
  waitForHostedFields,
} from '@/testing/fakeChargebee';
import {
  makeAccount,
  makeCard,
  makeManagePlans,
  makeOfferedPlan,
  makePayments,
  makePayPal,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import CardPage from './CardPage';

const CHANGE = '*/api/payments/updatePaymentSources';

let payments: Payments;
let sent: { body: unknown; key: string | null }[];
let answers: (() => Response)[];
let intents: { body: unknown; key: string | null }[];

beforeEach(() => {
  resetFakeChargebee();
  payments = makePayments();
  sent = [];
  answers = [];
  intents = [];
  fakeChargebee.authorize.mockImplementation(async (intent: object) => ({
    ...intent,
    status: 'authorized',
  }));
  server.use(
    http.get('*/api/payments/', () => HttpResponse.json(payments)),
    http.get('*/api/account', () => HttpResponse.json(makeAccount())),
    http.post('*/api/payments/paymentToken', async ({ request }) => {
      intents.push({
        body: await request.json(),
        key: request.headers.get('Idempotency-Key'),
      });
      return HttpResponse.json({ id: `pi_${intents.length}`, status: 'inited', amount: 0 });
    }),
    http.post(CHANGE, async ({ request }) => {
      sent.push({ body: await request.json(), key: request.headers.get('Idempotency-Key') });
      const answer = answers.shift();
      return answer ? answer() : HttpResponse.json(makeChangedPayments());
    }),
  );
});

function makeChangedPayments(overrides: object = {}) {
  return { ...makePayments(), paymentSourceId: 'pm_new', collected: 0, ...overrides };
}

const renderAddPage = () => renderScreen(<CardPage />, { at: '/add-card-payment-method' });

const renderUpdatePage = (options: Parameters<typeof renderScreen>[1] = {}) =>
  renderScreen(<CardPage />, {
    at: '/update-card-payment-method?operationType=UPDATE&paymentSourceId=pm_visa',
    ...options,
  });

const findField = (name: string) => screen.findByRole('textbox', { name });
const findNextScreen = () => screen.findByTestId('elsewhere');

async function fillInDetails(view: ReturnType<typeof renderAddPage>) {
  const typed = { 'Name on card': 'Ava  van Dyke', State: 'Ohio', 'Zip code': '44101' };
  for (const [name, text] of Object.entries(typed)) {
    await view.user.clear(await findField(name));
    await view.user.paste(text);
  }
  await loadProviderScript();
  await waitForHostedFields();
  return view.user;
}

describe('adding a card', () => {
  // shows: payment-11, payment-14, payment-20, api-41
  it('sends an intent and never the number, and goes to the success screen', async () => {
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));

    expect(await findNextScreen()).toHaveTextContent(
      '/add-payment-method-success?operationType=ADD&paymentSourceId=pm_new',
    );
    expect(intents).toMatchObject([{ body: { paymentsource: 'CARD' } }]);
    expect(fakeChargebee.authorize).toHaveBeenCalledExactlyOnceWith(
      { id: 'pi_1', status: 'inited', amount: 0 },
      { billingAddress: { firstName: 'Ava', lastName: 'van Dyke', state: 'Ohio', zip: '44101' } },
      {},
    );
    expect(sent).toMatchObject([
      {
        body: {
          operationType: 'ADD',
          paymentsource: 'CARD',
          token: 'pi_1',
          firstName: 'Ava',
          lastName: 'van Dyke',
          billingState: 'Ohio',
          billingZip: '44101',
          quote: 'quote-1',
        },
      },
    ]);
  });

  // shows: dashboard-21
  it('keeps the order of a first purchase beside it and after it', async () => {
    const order = makeOfferedPlan();
    const costs = makeManagePlans({ existingPlans: [], plans: [order] });
    server.use(http.get('*/api/account/manage-plans', () => HttpResponse.json(costs)));
    const { user } = renderScreen(<CardPage />, {
      at: '/add-card-payment-method?add=Minno-Plan&period=year',
    });
    const summary = await screen.findByRole('region', { name: 'Your order' });
    expect(summary).toHaveTextContent('Kids$89.99 / year');
    const otherKind = screen.getByRole('link', { name: 'Pay with PayPal instead' });
    expect(otherKind).toHaveAttribute(
      'href',
      '/add-paypal-payment-method?operationType=ADD&add=Minno-Plan&period=year',
    );
    expect(within(summary).queryByRole('link')).toBeNull();
    const name = await findField('Name on card');
    expect(otherKind.compareDocumentPosition(name)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    for (const [name, text] of Object.entries({ State: 'Ohio', 'Zip code': '44101' })) {
      await user.click(await findField(name));
      await user.paste(text);
    }
    await loadProviderScript();
    await waitForHostedFields();
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await findNextScreen()).toHaveTextContent(
      '/add-payment-method-success?operationType=ADD&paymentSourceId=pm_new&add=Minno-Plan&period=year',
    );
  });

  it('fills in the name of the account, and focuses the first field that is missing', async () => {
    const { user } = renderAddPage();
    expect(await findField('Name on card')).toHaveValue(makeAccount().name);
    await loadProviderScript();
    await waitForHostedFields();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await findField('State')).toHaveAccessibleDescription(/Please enter your state\./);
    expect(fakeChargebee.focused).toEqual(['number']);
  });

  it('opens without the name if the account can’t be loaded', async () => {
    server.use(http.get('*/api/account', () => errorResponse(500, 'internal_error', 'No.')));
    renderAddPage();
    expect(await findField('Name on card')).toHaveValue('');
  });

  // shows: payment-11, payment-13
  it('shows what is missing in every field, and sends nothing', async () => {
    const { user } = renderAddPage();
    await user.clear(await findField('Name on card'));
    await loadProviderScript();
    await waitForHostedFields();
    await user.click(screen.getByRole('button', { name: 'Add card' }));

    const name = await findField('Name on card');
    expect(name).toHaveAccessibleDescription(/Please enter the name on the card\./);
    expect(name).toHaveFocus();
    expect(await findField('State')).toHaveAccessibleDescription(/Please enter your state\./);
    expect(await findField('Zip code')).toHaveAccessibleDescription(/Please enter your zip code\./);
    for (const [hosted, words] of [
      ['Card number', 'Please enter the card number.'],
      ['Expiry date', 'Please enter the expiry date.'],
      ['Security code', 'Please enter the security code.'],
    ])
      expect(screen.getByRole('group', { name: hosted })).toHaveAccessibleDescription(words);
    expect(fakeChargebee.authorize).not.toHaveBeenCalled();
    expect(sent).toEqual([]);
  });

  it.each([
    ['first word', 'x'.repeat(51)],
    ['rest', 'Ana '.padEnd(55, 'x')],
  ])(
    'refuses a name whose %s the provider would not take, before the bank is asked',
    async (_part, name) => {
      const user = await fillInDetails(renderAddPage());
      await user.clear(await findField('Name on card'));
      await user.paste(name);
      typeWholeCard();
      await user.click(screen.getByRole('button', { name: 'Add card' }));
      expect(await findField('Name on card')).toHaveAccessibleDescription(
        'Please shorten the name. Its first word and the rest can have 50 characters each.',
      );
      expect(await findField('Name on card')).toHaveFocus();
      expect(intents).toEqual([]);
    },
  );

  // shows: payment-15
  it('shows and focuses a field’s latest error', async () => {
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    typeInHostedField('number', {
      complete: false,
      error: { message: 'Your card number is invalid.' },
    });
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(screen.getByText('Your card number is invalid.')).toBeVisible();
    expect(fakeChargebee.focused).toEqual(['number']);
    typeInHostedField('number', { complete: true });
    expect(screen.queryByText('Your card number is invalid.')).toBeNull();
  });

  // shows: payment-16
  it('marks the brand of the number as it is typed', async () => {
    renderAddPage();
    await loadProviderScript();
    await waitForHostedFields();
    const number = within(await screen.findByRole('group', { name: 'Card number' }));
    expect(number.queryByRole('img')).toBeNull();
    typeInHostedField('number', { complete: false, cardType: 'american_express' });
    expect(number.getByRole('img', { name: 'Amex' })).toBeVisible();
    typeInHostedField('number', { complete: false, cardType: 'other' });
    expect(number.queryByRole('img')).toBeNull();
  });

  it('focuses a field by a click beside its line of text', async () => {
    const { user } = renderAddPage();
    await loadProviderScript();
    await waitForHostedFields();
    await user.click(await screen.findByRole('group', { name: 'Expiry date' }));
    expect(fakeChargebee.focused).toEqual(['expiry']);
  });

  it('shows the provider’s refusal, and keeps what was typed', async () => {
    fakeChargebee.authorize.mockRejectedValueOnce(new Error('The card was not accepted.'));
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText('The card was not accepted.')).toBeVisible();
    expect(useSnackbar.getState().content).toBe('The card was not accepted.');
    expect(await findField('State')).toHaveValue('Ohio');
    expect(sent).toEqual([]);
  });

  // shows: rule-20, payment-16
  it.each([
    ['authentication_failed', /Your bank couldn’t confirm that it’s you\./],
    ['authentication_cancelled', /You left your bank’s confirmation before finishing\./],
    ['authentication_timeout', /Your bank’s confirmation took too long\./],
    ['3001', /Your bank declined this card\./],
  ])('says how the bank’s confirmation ended: %s', async (name, message) => {
    fakeChargebee.authorize.mockRejectedValueOnce({
      type: 'GatewayError',
      code: 'paymentFailed',
      name,
      message: 'For developers',
    });
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText(message)).toHaveTextContent('Nothing was added or charged.');
    expect(sent).toEqual([]);
    expect(await findField('State')).toHaveValue('Ohio');
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    await findNextScreen();
    expect(sent).toMatchObject([{ body: { token: 'pi_2' } }]);
  });

  // shows: rule-20
  it('waits for the bank, and says so', async () => {
    let authorize = (_intent: unknown): void => undefined;
    fakeChargebee.authorize.mockReturnValueOnce(
      new Promise((resolve) => {
        authorize = resolve;
      }),
    );
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(
      await screen.findByText('Checking with your bank. It may ask you to confirm it’s you.'),
    ).toBeVisible();
    expect(sent).toEqual([]);
    authorize({ id: 'pi_1', status: 'authorized' });
    await findNextScreen();
  });

  // shows: rule-20
  it.each([
    ['agrees', () => Promise.resolve({ id: 'pi_1', status: 'authorized' })],
    ['refuses', () => Promise.reject({ type: 'GatewayError', name: '3001' })],
  ])(
    'leaves the next subscriber alone if the bank %s after their sign-in',
    async (_what, answer) => {
      let decide = () => {};
      fakeChargebee.authorize.mockImplementation(() =>
        new Promise<void>((resolve) => {
          decide = resolve;
        }).then(answer),
      );
      const user = await fillInDetails(renderAddPage());
      typeWholeCard();
      await user.click(screen.getByRole('button', { name: 'Add card' }));
      await screen.findByText(/^Checking with your bank/);
      act(() => useAuth.getState().signIn('token-of-the-next'));
      decide();
      await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
      expect(sent).toEqual([]);
      expect(useSnackbar.getState().visible).toBe(false);
    },
  );

  // shows: payment-16
  it('shows why a card was refused, and gets a new intent for the next attempt', async () => {
    answers = [
      () => errorResponse(402, 'payment_processing_failed', 'Your bank refused the card.'),
    ];
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText('Your bank refused the card.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    await findNextScreen();
    expect(intents).toHaveLength(2);
    expect(intents[1]?.key).not.toBe(intents[0]?.key);
    expect(sent.map(({ body }) => body)).toMatchObject([{ token: 'pi_1' }, { token: 'pi_2' }]);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('repeats the same request while the outcome is unknown', async () => {
    answers = [() => HttpResponse.error()];
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText(/We couldn’t connect\./)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    await findNextScreen();
    expect(fakeChargebee.authorize).toHaveBeenCalledTimes(1);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('says that the provider’s script is blocked, and retries', async () => {
    const { user } = renderAddPage();
    await blockProviderScript();
    expect(await screen.findByText('The secure payment form didn’t load')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await loadProviderScript();
    await waitForHostedFields();
    expect(screen.getByRole('group', { name: 'Card number' })).toBeVisible();
  });
});

describe('while something is due', () => {
  beforeEach(() => {
    payments = makePayments({ amountDue: 699 });
  });

  const findDialog = (name: string) => screen.findByRole('dialog', { name });

  async function submitCard() {
    const user = await fillInDetails(renderAddPage());
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    return user;
  }

  it('charges nothing before confirmation', async () => {
    const user = await submitCard();
    const pay = await findDialog('Pay $6.99 now?');
    expect(pay).toHaveTextContent('$6.99 due will be charged now to this card.');
    expect(sent).toEqual([]);
    await user.click(within(pay).getByRole('button', { name: 'YES, PAY $6.99' }));
    await findNextScreen();
    expect(sent).toMatchObject([{ body: { token: 'pi_1', quote: 'quote-1' } }]);
  });

  it('asks again with the same intent if the amount has changed', async () => {
    const newPayments = { ...makePayments({ amountDue: 1498, quote: 'quote-2' }) };
    answers = [
      () => errorResponse(409, 'quote_changed', 'What is due has changed.', { extra: newPayments }),
    ];
    const user = await submitCard();
    await user.click(await screen.findByRole('button', { name: 'YES, PAY $6.99' }));

    const again = await findDialog('Pay $14.98 now?');
    expect(within(again).getByText('What is due has changed.')).toBeVisible();
    expect(sent).toHaveLength(1);
    await user.click(within(again).getByRole('button', { name: 'YES, PAY $14.98' }));
    await findNextScreen();
    expect(sent[1]?.body).toMatchObject({ token: 'pi_1', quote: 'quote-2' });
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(fakeChargebee.authorize).toHaveBeenCalledTimes(1);
  });
});

describe('updating a card', () => {
  // shows: payment-12
  it('changes name, state and zip without an intent, even if the script is blocked', async () => {
    const { user } = renderUpdatePage();
    const name = await findField('Name on card');
    await waitFor(() => expect(name).toHaveValue('Ava Example'));
    await blockProviderScript();
    await user.clear(name);
    await user.type(name, 'Ava New');
    await user.click(screen.getByRole('button', { name: 'Save card' }));

    expect(await findNextScreen()).toHaveTextContent('operationType=UPDATE');
    expect(sent.map(({ body }) => body)).toEqual([
      {
        operationType: 'UPDATE',
        paymentsource: 'CARD',
        paymentSourceId: 'pm_visa',
        firstName: 'Ava',
        lastName: 'New',
        billingState: 'New York',
        billingZip: '10001',
      },
    ]);
    expect(fakeChargebee.authorize).not.toHaveBeenCalled();
  });

  it('accepts a new number, and keeps its card when the response no longer lists it', async () => {
    answers = [
      () =>
        HttpResponse.json(makeChangedPayments({ card: [makeCard({ paymentSourceId: 'pm_new' })] })),
    ];
    const { user } = renderUpdatePage();
    await findField('Name on card');
    await loadProviderScript();
    await waitForHostedFields();
    typeWholeCard();
    await user.click(screen.getByRole('button', { name: 'Save card' }));
    expect(await findNextScreen()).toHaveTextContent('/add-payment-method-success');
    expect(sent).toMatchObject([{ body: { paymentSourceId: 'pm_visa', token: 'pi_1' } }]);
  });

  it('offers to pay what is due with it, in its currency', async () => {
    payments = makePayments({ amountDue: 699, currencyCode: 'EUR' });
    renderUpdatePage();
    expect(await screen.findByRole('link', { name: 'Pay €6.99 with this card' })).toBeVisible();
  });

  // shows: payment-12
  it('finds its card in the navigation state too', async () => {
    renderUpdatePage({ at: '/update-card-payment-method', state: { paymentSourceId: 'pm_visa' } });
    expect(await screen.findByText('Visa ending in 1111')).toBeVisible();
  });

  it.each(['', '?paymentSourceId=pm_of_somebody_else', '?paymentSourceId=pm_paypal'])(
    'redirects to the list if the URL names no card of this account: %s',
    async (query) => {
      payments = makePayments({ paypal: [makePayPal()] });
      renderUpdatePage({ at: `/update-card-payment-method${query}` });
      expect(await findNextScreen()).toHaveTextContent('/manage-payment-method');
      expect(useSnackbar.getState().content).toBe(
        'Choose the payment method you’d like to update.',
      );
    },
  );
});
