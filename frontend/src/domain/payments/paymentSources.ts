import type { PaymentSource, Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';

/** The kinds that can be entered here. */
export type SourceKind = 'CARD' | 'PAYPAL';
/** All kinds: OTHER are wallets, bank accounts, and whatever else the provider charges. */
export type MethodKind = SourceKind | 'OTHER';
type Lists = Pick<Payments, 'card' | 'paypal' | 'other'>;
export type EditOperation = 'ADD' | 'UPDATE';

/** All payment methods in display order: cards first. */
export function listSources({ card, paypal, other }: Lists): PaymentSource[] {
  return [...card, ...paypal, ...other];
}

/** The payment method that bills are charged to, if there is one. */
export function defaultSource(payments: Lists): PaymentSource | undefined {
  return listSources(payments).find(({ primaryPaymentSource }) => primaryPaymentSource);
}

const KINDS: Partial<Record<string, SourceKind>> = {
  CARD: 'CARD',
  PAYPAL_EXPRESS_CHECKOUT: 'PAYPAL',
};

export function sourceKind({ type }: Pick<PaymentSource, 'type'>): MethodKind {
  return KINDS[type] ?? 'OTHER';
}

/** The props of `CardBrandMark` for a payment method. */
export function markProps(source: PaymentSource) {
  return sourceKind(source) === 'OTHER'
    ? { brand: source.type, isType: true }
    : { brand: source.brand };
}

/** The last four digits of a card's masked number; null without one. */
export function lastFourDigits({
  maskedNumber,
}: Pick<PaymentSource, 'maskedNumber'>): string | null {
  return maskedNumber ? maskedNumber.slice(-4) : null;
}

/** The props of `PaidWith` for a payment method. */
export function paidWithProps(source: PaymentSource) {
  return {
    paymentSourceType: source.type,
    paymentSourceName: source.typeName,
    cardBrand: sourceKind(source) === 'CARD' ? source.brand : null,
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

/** Paying makes the card the default. */
const PAY_OPERATION = 'SETPRIMARY';

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

/** The link to update this payment method. One that cannot be entered here is replaced by a new one. */
export function updateAddress(source: PaymentSource): EditAddress {
  const { paymentSourceId } = source;
  const kind = sourceKind(source);
  if (kind === 'OTHER') return { to: paths.addPaymentMethod, state: { operationType: 'ADD' } };
  return editAddress(EDIT_PATHS.UPDATE[kind], { operationType: 'UPDATE', paymentSourceId });
}

/** The link to pay the amount due with a stored card, whose bank may ask the payer to confirm. */
export function bankPaymentAddress({ paymentSourceId }: PaymentSource): { to: string } {
  const query = new URLSearchParams({ operationType: PAY_OPERATION, paymentSourceId });
  return { to: `${paths.updateCard}?${query}` };
}

/** Whether a query string is that of `bankPaymentAddress`. */
export function isBankPayment(query: URLSearchParams): boolean {
  return query.get('operationType') === PAY_OPERATION;
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
