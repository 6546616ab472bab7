import type { MethodKind, SourceKind } from '@/domain/payments/paymentSources';
import { postJson } from '@/lib/api/http';
import type { PaymentsChange } from '@/lib/api/types';
import type { PaymentIntent } from '@/lib/chargebee/types';

/** A change of the payment methods. */
export interface ChangeRequest {
  operationType: 'ADD' | 'UPDATE' | 'DELETE' | 'SETPRIMARY';
  paymentsource: MethodKind;
  paymentSourceId?: string;
  /** The id of the payment intent that the payer has authorized. */
  token?: string;
  firstName?: string;
  lastName?: string;
  billingState?: string;
  billingZip?: string;
  /** The quote of the amount due that was shown. */
  quote?: string;
}

/**
 * Changes the payment methods, and collects the amount due if the change includes that. Throws
 * `quote_changed` with the new amount, `payment_processing_failed`, `payment_method_invalid`,
 * `payment_method_in_use`.
 */
export function changePaymentMethods(
  request: ChangeRequest,
  idempotencyKey: string,
): Promise<PaymentsChange> {
  return postJson<PaymentsChange>('/api/payments/updatePaymentSources', {
    body: request,
    idempotencyKey,
  });
}

/** What a payment intent is for. With a stored card it pays the amount due, else it saves a method. */
interface NewIntent {
  paymentsource: SourceKind;
  paymentSourceId?: string;
  quote?: string;
}

/**
 * Creates a payment intent, which the payer then authorizes. Throws `quote_changed` and `no_change`
 * for a stored card.
 */
export function createPaymentIntent(
  body: NewIntent,
  idempotencyKey: string,
): Promise<PaymentIntent> {
  return postJson<PaymentIntent>('/api/payments/paymentToken', { body, idempotencyKey });
}
