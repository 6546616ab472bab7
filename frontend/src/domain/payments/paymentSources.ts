import type { PaymentSource, Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';

export type SourceKind = 'CARD' | 'PAYPAL';
export type EditOperation = 'ADD' | 'UPDATE';

/** All payment methods in display order: cards first. */
export function listSources({ card, paypal }: Pick<Payments, 'card' | 'paypal'>): PaymentSource[] {
  return [...card, ...paypal];
}

/** The payment method that bills are charged to, if there is one. */
export function defaultSource(
  payments: Pick<Payments, 'card' | 'paypal'>,
): PaymentSource | undefined {
  return listSources(payments).find(({ primaryPaymentSource }) => primaryPaymentSource);
}

export function sourceKind({ brand }: Pick<PaymentSource, 'brand'>): SourceKind {
  return brand === 'PAYPAL' ? 'PAYPAL' : 'CARD';
}

/** The last four digits of a card's masked number; null without one. */
export function lastFourDigits({
  maskedNumber,
}: Pick<PaymentSource, 'maskedNumber'>): string | null {
  return maskedNumber ? maskedNumber.slice(-4) : null;
}

/** The props of `PaidWith` for a payment method. */
export function paidWithProps(source: PaymentSource) {
  const isCard = sourceKind(source) === 'CARD';
  return {
    paymentSourceType: isCard ? ('CARD' as const) : ('PAYPAL_EXPRESS_CHECKOUT' as const),
    cardBrand: isCard ? source.brand : null,
    last4: lastFourDigits(source),
    paypalEmail: source.email,
  };
}

/** `08/2030`; null if unknown. */
export function expiryDate({
  expiryMonth,
  expiryYear,
}: Pick<PaymentSource, 'expiryMonth' | 'expiryYear'>): string | null {
  if (expiryMonth === null || expiryYear === null) return null;
  return `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`;
}

const EDIT_PATHS: Record<EditOperation, Record<SourceKind, string>> = {
  ADD: { CARD: paths.addCard, PAYPAL: paths.payPal },
  UPDATE: { CARD: paths.updateCard, PAYPAL: paths.payPal },
};

/** A link with the same data in its query string and in the navigation state. Either is enough. */
export interface EditAddress {
  to: string;
  state: { operationType: EditOperation; paymentSourceId?: string };
}

function editAddress(path: string, state: EditAddress['state']): EditAddress {
  return { to: `${path}?${new URLSearchParams(state)}`, state };
}

/** The link to add a payment method of this kind. */
export function addAddress(kind: SourceKind): EditAddress {
  return editAddress(EDIT_PATHS.ADD[kind], { operationType: 'ADD' });
}

/** The link to update this payment method. */
export function updateAddress(source: PaymentSource): EditAddress {
  const { paymentSourceId } = source;
  return editAddress(EDIT_PATHS.UPDATE[sourceKind(source)], {
    operationType: 'UPDATE',
    paymentSourceId,
  });
}

/**
 * Reads what to edit from the query string, or else from the navigation state, which is untrusted.
 */
export function readEditTarget(
  query: URLSearchParams,
  state: unknown,
): { operationType: EditOperation; paymentSourceId: string | null } {
  const navigationState = (state ?? {}) as Record<string, unknown>;
  const readValue = (name: string) => {
    const value = query.get(name) ?? navigationState[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    operationType: readValue('operationType')?.toUpperCase() === 'UPDATE' ? 'UPDATE' : 'ADD',
    paymentSourceId: readValue('paymentSourceId'),
  };
}
