import type { PaymentSource, PaymentsChange } from '@/lib/api/types';
import { ApiError, CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { formatCents } from '@/lib/formats';
import { defaultSource, expiryOf, kindOf, last4Of } from '@/lib/paymentSources';
import { cardBrandName } from '@/ui/icons/CardBrandMark';
import type { Order } from './api';

export const NOT_DELETABLE =
  'Your default payment method can’t be deleted because you have an active plan.';

/** What is meant by a payment method in a sentence: `Visa ending in 1111`, `PayPal (ava@example.com)`. */
export function sourceName(source: PaymentSource): string {
  if (kindOf(source) === 'PAYPAL') return source.email ? `PayPal (${source.email})` : 'PayPal';
  const last4 = last4Of(source);
  return last4 ? `${cardBrandName(source.brand)} ending in ${last4}` : cardBrandName(source.brand);
}

/** First and last name together; empty where neither is known. */
export function ownerName({ firstName, lastName }: PaymentSource): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

/** The name on a card, split at its first whitespace. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/);
  return { firstName, lastName: rest.join(' ') };
}

/** Until when a card can be used, in words; null for what does not expire. */
export function expiryWords(source: PaymentSource): string | null {
  const expiry = expiryOf(source);
  if (expiry === null) return null;
  // A line never ends between the two.
  return `${source.status === 'EXPIRED' ? 'Expired' : 'Expires'}\u00a0${expiry}`;
}

/** What collecting what is due comes to, before it is done. */
export function willBeCharged(amountDue: number): string {
  return `${formatCents(amountDue)} due will be charged now`;
}

/** What a payment that works makes of a payment method, beside paying; nothing new of the default. */
export function becomesDefault(replaced: PaymentSource | null): string {
  return replaced?.primaryPaymentSource
    ? ''
    : 'If that works, it becomes your default payment method.';
}

interface Collected {
  collected: number;
  amountDue: number;
  /** It was tried to collect what was due. */
  wasTried: boolean;
}

/** What was collected, and what is still due: nothing where nothing was and is. */
export function collectedSentences({ collected, amountDue, wasTried }: Collected): string[] {
  const paid = collected > 0 ? [`${formatCents(collected)} was charged.`] : [];
  if (amountDue <= 0) return collected > 0 ? [...paid, 'Nothing is due any more.'] : [];
  const declined = wasTried && collected === 0 ? ['The payment did not go through.'] : [];
  return [...paid, ...declined, `${formatCents(amountDue)} is still due.`];
}

/** What a change in the list has done. */
export function changedSentences(
  { operationType }: Pick<Order, 'operationType'>,
  source: PaymentSource | undefined,
  answer: PaymentsChange,
): string[] {
  const name = source ? sourceName(source) : 'Your payment method';
  if (operationType === 'DELETE') return [`${name} has been removed.`];
  const becameDefault =
    source?.primaryPaymentSource === false &&
    defaultSource(answer)?.paymentSourceId === source.paymentSourceId;
  const change = becameDefault ? [`${name} is now your default payment method.`] : [];
  return [...change, ...collectedSentences({ ...answer, wasTried: true })];
}

/** The warning before one of these is deleted. */
export function deletionWarning(source: PaymentSource, all: readonly PaymentSource[]): string {
  if (all.length === 1) {
    return 'This is your only payment method. If you remove it, you will need to add a new one to reactivate a subscription later.';
  }
  return source.primaryPaymentSource
    ? 'This is your default payment method. If you remove it, another one of yours becomes the default.'
    : 'Removing a payment method that is not your default does not affect your active subscription.';
}

/** Why a change did not happen, or that it may have. */
export function failureWords(error: unknown): string {
  if (isUnconfirmed(error)) return CONFIRMING_MESSAGE;
  if (error instanceof ApiError && error.status === -1) {
    return 'We couldn’t reach the portal. Check your connection and try again: nothing is done twice.';
  }
  return messageOf(error);
}

const PROVIDER_FAILED = 'Our billing provider could not do this. Please try again.';

/** What the provider's script says went wrong: its errors name their sentence in more than one way. */
export function providerWords(error: unknown): string {
  const { error_msg: said, message } = (error ?? {}) as Record<string, unknown>;
  const words = [said, message].find((one) => typeof one === 'string' && one !== '');
  return (words as string | undefined) ?? PROVIDER_FAILED;
}
