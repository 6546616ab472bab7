import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { makeCard, makePayments, makePayPal } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { server } from '@/testing/server';
import { PaymentFailureBanner } from './PaymentFailureBanner';

beforeEach(() => {
  server.use(
    http.get('*/api/account/check-payment-failure', () =>
      HttpResponse.json({ hasPaymentFailure: true }),
    ),
  );
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
  await waitFor(() => expect(update).toHaveAttribute('href', address));
});

it('links to the list while the payment methods are unknown', async () => {
  server.use(http.get('*/api/payments/', () => HttpResponse.error()));
  renderScreen(<PaymentFailureBanner />);
  expect(await screen.findByRole('link', { name: 'UPDATE PAYMENT DETAILS' })).toHaveAttribute(
    'href',
    '/manage-payment-method',
  );
});
