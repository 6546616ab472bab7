import type { PaymentSource } from '@/lib/api/types';
import { kindOf } from '@/lib/paymentSources';
import type { Order } from './api';

/** Makes this one the default; of the present default: charges what is due to it. */
export function defaulting(source: PaymentSource): Order {
  return ordered('SETPRIMARY', source);
}

export function removal(source: PaymentSource): Order {
  return ordered('DELETE', source);
}

function ordered(operationType: Order['operationType'], source: PaymentSource): Order {
  const { paymentSourceId } = source;
  return { operationType, paymentsource: kindOf(source), paymentSourceId };
}
