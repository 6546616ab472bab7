import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';

import type { PaymentFailure, Payments } from '@/lib/api/types';
import { makeCard, makePaymentFailure, makePayments, makePayPal } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import { PaymentFailureBanner } from './PaymentFailureBanner';

function answerFailure(consequences: Partial<PaymentFailure> = {}) {
  const failure = makePaymentFailure({ hasPaymentFailure: true, ...consequences });
  server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
}

beforeEach(() => answerFailure());

// shows: rule-10
it.each<[Partial<PaymentFailure>, RegExp]>([
  [{}, /to avoid any interruptions to your subscription\.$/],
  [{ canceledPlans: ['Faith'] }, /so Faith was canceled\. .* to pay what is due\.$/],
  [
    { canceledPlans: ['Faith', 'Kids'], pausedPlans: ['Gospel'] },
    /so Faith and Kids were canceled and Gospel is paused\./,
  ],
])('says what has become of the plans: %o', async (consequences, words) => {
  answerFailure(consequences);
  renderScreen(<PaymentFailureBanner />);
  expect(await screen.findByText(words)).toBeVisible();
});

// shows: shell-8
it.each<[string, Partial<Payments>, string]>([
  [
    'the default card',
    { card: [makeCard()] },
    '/update-card-payment-method?operationType=UPDATE&paymentSourceId=pm_visa',
  ],
  [
    'the default PayPal account',
    {
      card: [makeCard({ primaryPaymentSource: false })],
      paypal: [makePayPal({ primaryPaymentSource: true })],
    },
    '/add-paypal-payment-method?operationType=UPDATE&paymentSourceId=pm_paypal',
  ],
  ['a new one where none is the default', { card: [] }, '/add-payment-method'],
])('links to %s', async (_what, differing, address) => {
  server.use(http.get('*/api/payments/', () => HttpResponse.json(makePayments(differing))));
  renderScreen(<PaymentFailureBanner />);
  const update = await screen.findByRole('link', { name: 'UPDATE PAYMENT DETAILS' });
  // From the first moment: who clicks at once must not land on the list.
  expect(update).toHaveAttribute('href', address);
});

it('links to the list if the payment methods cannot be read', async () => {
  server.use(http.get('*/api/payments/', () => HttpResponse.error()));
  renderScreen(<PaymentFailureBanner />);
  expect(await screen.findByRole('link', { name: 'UPDATE PAYMENT DETAILS' })).toHaveAttribute(
    'href',
    '/manage-payment-method',
  );
});

// shows: shell-20
it.each(['/update-card-payment-method', '/manage-payment-method'])(
  'is not shown on %s, which it leads to',
  async (at) => {
    const requested = vi.fn();
    server.events.on('response:mocked', ({ request }) => requested(new URL(request.url).pathname));
    renderScreen(<PaymentFailureBanner />, { at });
    await waitFor(() => expect(requested).toHaveBeenCalledWith('/api/payments/'));
    expect(screen.queryByText('Payment Failed')).toBeNull();
  },
);
