import type { PaymentsChange } from '@/lib/api/types';
import type { PaymentIntent } from '@/lib/chargebee';
import { post } from '@/lib/http';
import type { SourceKind } from '@/lib/paymentSources';

/** What is asked of the payment methods. */
export interface Order {
  operationType: 'ADD' | 'UPDATE' | 'DELETE' | 'SETPRIMARY';
  paymentsource: SourceKind;
  paymentSourceId?: string;
  /** A card's token, or the id of the intent that was agreed to with PayPal. */
  token?: string;
  firstName?: string;
  lastName?: string;
  billingState?: string;
  billingZip?: string;
  /** What was shown as due when it was ordered. */
  quote?: string;
}

/**
 * Changes the payment methods, and collects what is due where that comes with it.
 * Throws `quote_changed` with what is due by now, `payment_processing_failed`, `payment_method_invalid`,
 * `payment_method_in_use`.
 */
export function changePaymentMethods(
  order: Order,
  idempotencyKey: string,
): Promise<PaymentsChange> {
  return post<PaymentsChange>('/api/payments/updatePaymentSources', {
    body: order,
    idempotencyKey,
  });
}

/** Makes an intent to pay with PayPal, which the payer then agrees to at the provider's. */
export function createPaymentIntent(idempotencyKey: string): Promise<PaymentIntent> {
  return post<PaymentIntent>('/api/payments/paymentToken', { body: {}, idempotencyKey });
}
