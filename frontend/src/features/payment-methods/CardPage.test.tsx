import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { aCard, aPayPal, somePayments } from '@/testing/data';
import {
  fieldsAreThere,
  forgetProvider,
  provider,
  scriptComes,
  scriptIsBlocked,
  typeCard,
  typeInto,
} from '@/testing/provider';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import CardPage from './CardPage';

const CHANGE = '*/api/payments/updatePaymentSources';

let payments: Payments;
let sent: { body: unknown; key: string | null }[];
let answers: (() => Response)[];

beforeEach(() => {
  forgetProvider();
  payments = somePayments();
  sent = [];
  answers = [];
  provider.tokenize.mockResolvedValue({ token: 'cb_token_1' });
  server.use(
    http.get('*/api/payments/', () => HttpResponse.json(payments)),
    http.post(CHANGE, async ({ request }) => {
      sent.push({ body: await request.json(), key: request.headers.get('Idempotency-Key') });
      const answer = answers.shift();
      return answer ? answer() : HttpResponse.json(changed());
    }),
  );
});

function changed(differing: object = {}) {
  return { ...somePayments(), paymentSourceId: 'pm_new', collected: 0, ...differing };
}

const adding = () => renderScreen(<CardPage />, { at: '/add-card-payment-method' });

const updating = (options: Parameters<typeof renderScreen>[1] = {}) =>
  renderScreen(<CardPage />, {
    at: '/update-card-payment-method?operationType=UPDATE&paymentSourceId=pm_visa',
    ...options,
  });

const field = (name: string) => screen.findByRole('textbox', { name });
const gone = () => screen.findByTestId('elsewhere');

async function withDetails(view: ReturnType<typeof adding>) {
  const typed = { 'Name on card': 'Ava  van Dyke', State: 'Ohio', 'Zip code': '44101' };
  for (const [name, text] of Object.entries(typed)) {
    await view.user.click(await field(name));
    await view.user.paste(text);
  }
  await scriptComes();
  await fieldsAreThere();
  return view.user;
}

describe('adding a card', () => {
  it('sends a token and never the number, and goes on to what was added', async () => {
    const user = await withDetails(adding());
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));

    expect(await gone()).toHaveTextContent(
      '/add-payment-method-success?operationType=ADD&paymentSourceId=pm_new',
    );
    expect(provider.tokenize).toHaveBeenCalledExactlyOnceWith({
      firstName: 'Ava',
      lastName: 'van Dyke',
      state: 'Ohio',
      zip: '44101',
    });
    expect(sent).toMatchObject([
      {
        body: {
          operationType: 'ADD',
          paymentsource: 'CARD',
          token: 'cb_token_1',
          firstName: 'Ava',
          lastName: 'van Dyke',
          billingState: 'Ohio',
          billingZip: '44101',
          quote: 'quote-1',
        },
      },
    ]);
  });

  it('says of every field what is missing, and sends nothing', async () => {
    const { user } = adding();
    await field('Name on card');
    await scriptComes();
    await fieldsAreThere();
    await user.click(screen.getByRole('button', { name: 'Add card' }));

    const name = await field('Name on card');
    expect(name).toHaveAccessibleDescription(/Please enter the name on the card\./);
    expect(name).toHaveFocus();
    expect(await field('State')).toHaveAccessibleDescription(/Please enter your state\./);
    expect(await field('Zip code')).toHaveAccessibleDescription(/Please enter your zip code\./);
    for (const [hosted, words] of [
      ['Card number', 'Please enter the card number.'],
      ['Expiry date', 'Please enter the expiry date.'],
      ['Security code', 'Please enter the security code.'],
    ])
      expect(screen.getByRole('group', { name: hosted })).toHaveAccessibleDescription(words);
    expect(provider.tokenize).not.toHaveBeenCalled();
    expect(sent).toEqual([]);
  });

  it('says a field’s latest error, and takes one there', async () => {
    const user = await withDetails(adding());
    typeCard();
    typeInto('number', { complete: false, error: { message: 'Your card number is invalid.' } });
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(screen.getByText('Your card number is invalid.')).toBeVisible();
    expect(provider.focused).toEqual(['number']);
    typeInto('number', { complete: true });
    expect(screen.queryByText('Your card number is invalid.')).toBeNull();
  });

  it('says why the provider takes no card, and keeps what was typed', async () => {
    provider.tokenize.mockRejectedValueOnce(new Error('The card was not accepted.'));
    const user = await withDetails(adding());
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText('The card was not accepted.')).toBeVisible();
    expect(useSnackbar.getState().content).toBe('The card was not accepted.');
    expect(await field('State')).toHaveValue('Ohio');
    expect(sent).toEqual([]);
  });

  it('says why a card was refused, and makes another token for the next try', async () => {
    answers = [() => refusal(402, 'payment_processing_failed', 'Your bank refused the card.')];
    const user = await withDetails(adding());
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText('Your bank refused the card.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    await gone();
    expect(provider.tokenize).toHaveBeenCalledTimes(2);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('asks again about the same card while nobody knows how it ended', async () => {
    answers = [() => HttpResponse.error()];
    const user = await withDetails(adding());
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    expect(await screen.findByText(/We couldn’t reach the portal\./)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    await gone();
    expect(provider.tokenize).toHaveBeenCalledTimes(1);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('says that the provider’s script is blocked, and asks for it again', async () => {
    const { user } = adding();
    await scriptIsBlocked();
    expect(await screen.findByText('The secure payment form didn’t load')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await scriptComes();
    await fieldsAreThere();
    expect(screen.getByRole('group', { name: 'Card number' })).toBeVisible();
  });
});

describe('while something is due', () => {
  beforeEach(() => {
    payments = somePayments({ amountDue: 699 });
  });

  const dialog = (name: string) => screen.findByRole('dialog', { name });

  async function asked() {
    const user = await withDetails(adding());
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Add card' }));
    return user;
  }

  it('charges nothing before it is confirmed', async () => {
    const user = await asked();
    const pay = await dialog('Pay $6.99 now?');
    expect(pay).toHaveTextContent('$6.99 due will be charged now to this card.');
    expect(sent).toEqual([]);
    await user.click(within(pay).getByRole('button', { name: 'YES, PAY $6.99' }));
    await gone();
    expect(sent).toMatchObject([{ body: { token: 'cb_token_1', quote: 'quote-1' } }]);
  });

  it('asks again where the amount has changed, with the same token', async () => {
    const news = { ...somePayments({ amountDue: 1498, quote: 'quote-2' }) };
    answers = [() => refusal(409, 'quote_changed', 'What is due has changed.', { extra: news })];
    const user = await asked();
    await user.click(await screen.findByRole('button', { name: 'YES, PAY $6.99' }));

    const again = await dialog('Pay $14.98 now?');
    expect(within(again).getByText('What is due has changed.')).toBeVisible();
    expect(sent).toHaveLength(1);
    await user.click(within(again).getByRole('button', { name: 'YES, PAY $14.98' }));
    await gone();
    expect(sent[1]?.body).toMatchObject({ token: 'cb_token_1', quote: 'quote-2' });
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(provider.tokenize).toHaveBeenCalledTimes(1);
  });
});

describe('updating a card', () => {
  it('changes name, state and zip without a token, even where the script is blocked', async () => {
    const { user } = updating();
    const name = await field('Name on card');
    await waitFor(() => expect(name).toHaveValue('Ava Example'));
    await scriptIsBlocked();
    await user.clear(name);
    await user.type(name, 'Ava New');
    await user.click(screen.getByRole('button', { name: 'Save card' }));

    expect(await gone()).toHaveTextContent('operationType=UPDATE');
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
    expect(provider.tokenize).not.toHaveBeenCalled();
  });

  it('takes another number, and stays on its card when the lists come back without it', async () => {
    answers = [() => HttpResponse.json(changed({ card: [aCard({ paymentSourceId: 'pm_new' })] }))];
    const { user } = updating();
    await field('Name on card');
    await scriptComes();
    await fieldsAreThere();
    typeCard();
    await user.click(screen.getByRole('button', { name: 'Save card' }));
    expect(await gone()).toHaveTextContent('/add-payment-method-success');
    expect(sent).toMatchObject([{ body: { paymentSourceId: 'pm_visa', token: 'cb_token_1' } }]);
  });

  it('finds its card in the navigation’s state too', async () => {
    updating({ at: '/update-card-payment-method', state: { paymentSourceId: 'pm_visa' } });
    expect(await screen.findByText('Visa ending in 1111')).toBeVisible();
  });

  it.each(['', '?paymentSourceId=pm_of_somebody_else', '?paymentSourceId=pm_paypal'])(
    'sends one to the list without a card of one’s own: %s',
    async (query) => {
      payments = somePayments({ paypal: [aPayPal()] });
      updating({ at: `/update-card-payment-method${query}` });
      expect(await gone()).toHaveTextContent('/manage-payment-method');
      expect(useSnackbar.getState().content).toBe(
        'Choose the payment method that you would like to update.',
      );
    },
  );
});
