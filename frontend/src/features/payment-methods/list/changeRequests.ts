import { sourceKind } from '@/domain/payments/paymentSources';
import type { ChangeRequest } from '@/features/payment-methods/shared/api';
import type { PaymentSource } from '@/lib/api/types';

/**
 * The request to make a payment method the default. For the current default it charges the amount
 * due.
 */
export function requestDefault(source: PaymentSource): ChangeRequest {
  return buildRequest('SETPRIMARY', source);
}

export function requestRemoval(source: PaymentSource): ChangeRequest {
  return buildRequest('DELETE', source);
}

function buildRequest(
  operationType: ChangeRequest['operationType'],
  source: PaymentSource,
): ChangeRequest {
  const { paymentSourceId } = source;
  return { operationType, paymentsource: sourceKind(source), paymentSourceId };
}
