import { cardBrandName } from '@/domain/payments/CardBrandMark';
import { lastFourDigits, sourceKind } from '@/domain/payments/paymentSources';
import type { PaymentSource } from '@/lib/api/types';

/**
 * A payment method's name: `Visa ending in 1111`, `PayPal (ava@example.com)`,
 * `Apple Pay (Visa ending in 1111)`.
 */
export function sourceName(source: PaymentSource): string {
  const kind = sourceKind(source);
  if (kind === 'CARD') return cardName(source);
  const detail = kind === 'PAYPAL' ? source.email : otherDetail(source);
  return detail ? `${source.typeName} (${detail})` : source.typeName;
}

/** What tells a method of another type from others of its type; null if nothing does. */
export function otherDetail(source: PaymentSource): string | null {
  return source.maskedNumber ? cardName(source) : source.account;
}

function cardName(source: PaymentSource): string {
  const last4 = lastFourDigits(source);
  return last4 ? `${cardBrandName(source.brand)} ending in ${last4}` : cardBrandName(source.brand);
}
