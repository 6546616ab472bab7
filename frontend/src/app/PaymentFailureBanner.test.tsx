import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';

import type { Payments } from '@/lib/api/types';
import { aCard, aPayPal, somePayments } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';
import { PaymentFailureBanner } from './PaymentFailureBanner';

beforeEach(() => {
  server.use(
    http.get('*/api/account/check-payment-failure', () =>
      HttpResponse.json({ hasPaymentFailure: true }),
    ),
  );
});

it.each<[string, Partial<Payments>, string]>([
  [
    'the default card',
    { card: [aCard()] },
    '/update-card-payment-method?operationType=UPDATE&paymentSourceId=pm_visa',
  ],
  [
    'the default PayPal account',
    {
      card: [aCard({ primaryPaymentSource: false })],
      paypal: [aPayPal({ primaryPaymentSource: true })],
    },
    '/add-paypal-payment-method?operationType=UPDATE&paymentSourceId=pm_paypal',
  ],
  ['a new one where none is the default', { card: [] }, '/add-payment-method'],
])('leads to %s', async (_what, differing, address) => {
  server.use(http.get('*/api/payments/', () => HttpResponse.json(somePayments(differing))));
  renderScreen(<PaymentFailureBanner />);
  const update = await screen.findByRole('link', { name: 'UPDATE PAYMENT DETAILS' });
  await waitFor(() => expect(update).toHaveAttribute('href', address));
});

it('leads to the list while it is not known what one pays with', async () => {
  server.use(http.get('*/api/payments/', () => HttpResponse.error()));
  renderScreen(<PaymentFailureBanner />);
  expect(await screen.findByRole('link', { name: 'UPDATE PAYMENT DETAILS' })).toHaveAttribute(
    'href',
    '/manage-payment-method',
  );
});
