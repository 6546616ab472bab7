/** The three card fields whose contents only the provider sees. */
export type HostedFieldKind = 'number' | 'expiry' | 'cvv';

export const HOSTED_FIELD_KINDS: readonly HostedFieldKind[] = ['number', 'expiry', 'cvv'];

export const HOSTED_FIELD_LABELS: Record<HostedFieldKind, string> = {
  number: 'Card number',
  expiry: 'Expiry date',
  cvv: 'Security code',
};

export const MISSING_MESSAGES: Record<HostedFieldKind, string> = {
  number: 'Please enter the card number.',
  expiry: 'Please enter the expiry date.',
  cvv: 'Please enter the security code.',
};

/** The provider's event about a field. */
export interface HostedFieldEvent {
  complete?: boolean;
  empty?: boolean;
  error?: { message?: string } | undefined;
  /** The brand that the number has so far, such as `visa` or `other`. */
  cardType?: string;
}

export interface HostedFieldState {
  isReady: boolean;
  isFocused: boolean;
  isComplete: boolean;
  isEmpty: boolean;
  error: string | null;
  cardType: string;
}

const UNTOUCHED: HostedFieldState = {
  isReady: false,
  isFocused: false,
  isComplete: false,
  isEmpty: true,
  error: null,
  cardType: 'other',
};

export type HostedFieldStates = Record<HostedFieldKind, HostedFieldState>;

export const ALL_FIELDS_UNTOUCHED: HostedFieldStates = {
  number: UNTOUCHED,
  expiry: UNTOUCHED,
  cvv: UNTOUCHED,
};

/** Applies an event to a field's state. Absent properties leave the state unchanged. */
export function applyEvent(state: HostedFieldState, event: HostedFieldEvent): HostedFieldState {
  return {
    ...state,
    isComplete: event.complete ?? state.isComplete,
    isEmpty: event.empty ?? state.isEmpty,
    cardType: event.cardType ?? state.cardType,
    error: 'error' in event ? (event.error?.message ?? null) : state.error,
  };
}
