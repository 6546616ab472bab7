import { sourceName } from '@/domain/payments/methodNames';
import { defaultSource, expiryDate } from '@/domain/payments/paymentSources';
import type { PaymentSource, PaymentsChange } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import type { ChangeRequest } from './api';

export const NOT_DELETABLE =
  'Your default payment method can’t be deleted because you have an active plan.';

/** First and last name; empty if both are unknown. */
export function ownerName({ firstName, lastName }: PaymentSource): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

/** Splits the name on a card at its first whitespace. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/);
  return { firstName, lastName: rest.join(' ') };
}

/** A card's expiry label; null if it does not expire. */
export function expiryLabel(source: PaymentSource): string | null {
  const expiry = expiryDate(source);
  if (expiry === null) return null;
  // A no-break space.
  return `${source.status === 'EXPIRED' ? 'Expired' : 'Expires'}\u00a0${expiry}`;
}

/** Announces the charge of the amount due. */
export function chargeWarning(amountDue: number, currencyCode?: string): string {
  return `${formatCents(amountDue, currencyCode)} due will be charged now`;
}

/**
 * Says that a successful payment makes the method the default; empty if it replaces the default.
 */
export function newDefaultNote(replaced: PaymentSource | null): string {
  return replaced?.primaryPaymentSource
    ? ''
    : 'If the payment goes through, it becomes your default payment method.';
}

interface CollectionResult {
  collected: number;
  amountDue: number;
  currencyCode?: string;
  /** The charge was attempted. */
  wasTried: boolean;
}

/** What was charged and what is still due; empty if neither applies. */
export function collectionMessages(result: CollectionResult): string[] {
  const { collected, amountDue, currencyCode, wasTried } = result;
  const charged = formatCents(collected, currencyCode);
  const chargedMessages = collected > 0 ? [`${charged} was charged.`] : [];
  if (amountDue <= 0) return collected > 0 ? [...chargedMessages, 'You’re all paid up.'] : [];
  const declinedMessages = wasTried && collected === 0 ? ['The payment didn’t go through.'] : [];
  const stillDue = `${formatCents(amountDue, currencyCode)} is still due.`;
  return [...chargedMessages, ...declinedMessages, stillDue];
}

/** The messages after a change in the list. */
export function changeMessages(
  { operationType }: Pick<ChangeRequest, 'operationType'>,
  source: PaymentSource | undefined,
  answer: PaymentsChange,
): string[] {
  const name = source ? sourceName(source) : 'Your payment method';
  if (operationType === 'DELETE') return [`${name} was removed.`];
  const becameDefault =
    source?.primaryPaymentSource === false &&
    defaultSource(answer)?.paymentSourceId === source.paymentSourceId;
  const defaultMessages = becameDefault ? [`${name} is now your default payment method.`] : [];
  const messages = [...defaultMessages, ...collectionMessages({ ...answer, wasTried: true })];
  // What was due has been paid meanwhile.
  return messages.length > 0 ? messages : ['You’re all paid up.'];
}

const ASK_TO_DELETE = 'Are you sure you want to delete your payment method?';

/** The question before a payment method is deleted, and a warning if that has an effect. */
export function deletionQuestion(
  source: PaymentSource,
  all: readonly PaymentSource[],
): { message: string; warningContent?: string } {
  if (all.length === 1) {
    return {
      message: ASK_TO_DELETE,
      warningContent:
        'This is your only payment method. If you remove it, you will need to add a new one to reactivate a subscription later.',
    };
  }
  return source.primaryPaymentSource
    ? {
        message: ASK_TO_DELETE,
        warningContent:
          'This is your default payment method. If you remove it, another one becomes the default.',
      }
    : {
        message: `${ASK_TO_DELETE} Removing a payment method that is not your default does not affect your active subscription.`,
      };
}

const PROVIDER_FAILED = 'Our billing provider couldn’t do this. Please try again.';

/** The message of an error from the provider's script, which has more than one shape. */
export function providerErrorMessage(error: unknown): string {
  const { error_msg: providerMessage, message } = (error ?? {}) as Record<string, unknown>;
  const found = [providerMessage, message].find((text) => typeof text === 'string' && text !== '');
  return (found as string | undefined) ?? PROVIDER_FAILED;
}
