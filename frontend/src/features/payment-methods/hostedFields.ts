/** The three fields of a card that only the provider ever sees. */
export type HostedKind = 'number' | 'expiry' | 'cvv';

export const HOSTED_KINDS: readonly HostedKind[] = ['number', 'expiry', 'cvv'];

export const HOSTED_LABELS: Record<HostedKind, string> = {
  number: 'Card number',
  expiry: 'Expiry date',
  cvv: 'Security code',
};

export const HOSTED_MISSING: Record<HostedKind, string> = {
  number: 'Please enter the card number.',
  expiry: 'Please enter the expiry date.',
  cvv: 'Please enter the security code.',
};

/** What the provider tells of a field as one types. */
export interface HostedEvent {
  complete?: boolean;
  empty?: boolean;
  error?: { message?: string } | undefined;
}

export interface HostedState {
  isReady: boolean;
  isFocused: boolean;
  isComplete: boolean;
  isEmpty: boolean;
  error: string | null;
}

const UNTOUCHED: HostedState = {
  isReady: false,
  isFocused: false,
  isComplete: false,
  isEmpty: true,
  error: null,
};

export type HostedStates = Record<HostedKind, HostedState>;

export const ALL_UNTOUCHED: HostedStates = {
  number: UNTOUCHED,
  expiry: UNTOUCHED,
  cvv: UNTOUCHED,
};

/** A field after an event. One that tells nothing of an aspect leaves it as it was. */
export function afterEvent(state: HostedState, event: HostedEvent): HostedState {
  return {
    ...state,
    isComplete: event.complete ?? state.isComplete,
    isEmpty: event.empty ?? state.isEmpty,
    error: 'error' in event ? (event.error?.message ?? null) : state.error,
  };
}
