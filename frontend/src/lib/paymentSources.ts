import type { PaymentSource, Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';

export type SourceKind = 'CARD' | 'PAYPAL';
export type EditOperation = 'ADD' | 'UPDATE';

/** Cards first, as they are listed. */
export function sourcesOf({ card, paypal }: Pick<Payments, 'card' | 'paypal'>): PaymentSource[] {
  return [...card, ...paypal];
}

/** The one that bills are charged to; none where nothing is kept. */
export function defaultSource(
  payments: Pick<Payments, 'card' | 'paypal'>,
): PaymentSource | undefined {
  return sourcesOf(payments).find(({ primaryPaymentSource }) => primaryPaymentSource);
}

export function kindOf({ brand }: Pick<PaymentSource, 'brand'>): SourceKind {
  return brand === 'PAYPAL' ? 'PAYPAL' : 'CARD';
}

/** The last digits of a card's masked number; null for what has none. */
export function last4Of({ maskedNumber }: Pick<PaymentSource, 'maskedNumber'>): string | null {
  return maskedNumber ? maskedNumber.slice(-4) : null;
}

/** In the shape that `PaidWith` draws. */
export function paidWith(source: PaymentSource) {
  const isCard = kindOf(source) === 'CARD';
  return {
    paymentSourceType: isCard ? ('CARD' as const) : ('PAYPAL_EXPRESS_CHECKOUT' as const),
    cardBrand: isCard ? source.brand : null,
    last4: last4Of(source),
    paypalEmail: source.email,
  };
}

/** `08/2030`; null where it is not known. */
export function expiryOf({
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

/** An address, and what goes along with it in the navigation's state. Either is enough to go on by. */
export interface EditAddress {
  to: string;
  state: { operationType: EditOperation; paymentSourceId?: string };
}

function addressed(path: string, state: EditAddress['state']): EditAddress {
  return { to: `${path}?${new URLSearchParams(state)}`, state };
}

/** Where a payment method of a kind is added. */
export function addAddress(kind: SourceKind): EditAddress {
  return addressed(EDIT_PATHS.ADD[kind], { operationType: 'ADD' });
}

/** Where a payment method is updated. */
export function updateAddress(source: PaymentSource): EditAddress {
  const { paymentSourceId } = source;
  return addressed(EDIT_PATHS.UPDATE[kindOf(source)], {
    operationType: 'UPDATE',
    paymentSourceId,
  });
}

/** What a screen is to edit, from its address or else from the navigation's state, which may be anything. */
export function editedIn(
  query: URLSearchParams,
  state: unknown,
): { operationType: EditOperation; paymentSourceId: string | null } {
  const carried = (state ?? {}) as Record<string, unknown>;
  const read = (name: string) => {
    const value = query.get(name) ?? carried[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    operationType: read('operationType')?.toUpperCase() === 'UPDATE' ? 'UPDATE' : 'ADD',
    paymentSourceId: read('paymentSourceId'),
  };
}
