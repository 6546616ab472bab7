import { act, waitFor } from '@testing-library/react';
import { vi } from 'vitest';

/**
 * A fake of the provider's script, as far as the wrapper of the card fields and the PayPal page use
 * it.
 */

type FieldKind = 'number' | 'expiry' | 'cvv';
type Listener = (event: unknown) => void;

const fields = new Map<FieldKind, Map<string, Listener>>();

/** The functions that a test configures and inspects. */
export const fakeChargebee = {
  init: vi.fn(),
  /** Authorizes an intent with the entered card. */
  authorize: vi.fn(),
  /** Authorizes an intent with the stored card that it names. */
  authorizeStoredCard: vi.fn(),
  /** Settles with the payer's decision. */
  pay: vi.fn(),
  setPaymentIntent: vi.fn(),
  focused: [] as FieldKind[],
};

function createField(kind: FieldKind) {
  const listeners = new Map<string, Listener>();
  fields.set(kind, listeners);
  const field = {
    at: () => field,
    on: (event: string, listener: Listener) => {
      listeners.set(event, listener);
      return field;
    },
    focus: () => fakeChargebee.focused.push(kind),
    update: () => undefined,
    destroy: () => fields.delete(kind),
  };
  return field;
}

function createComponent() {
  return {
    status: 0,
    createField: createField,
    mount: () => {
      for (const listeners of fields.values()) queueMicrotask(() => listeners.get('ready')?.({}));
    },
    authorizeWith3ds: fakeChargebee.authorize,
    update: () => undefined,
    destroy: () => undefined,
  };
}

const payPal = {
  setPaymentIntent: fakeChargebee.setPaymentIntent,
  mountPaymentButton: () => Promise.resolve(),
  handlePayment: fakeChargebee.pay,
};

const threeDS = {
  setPaymentIntent: fakeChargebee.setPaymentIntent,
  handleCardPayment: fakeChargebee.authorizeStoredCard,
};

const instance = {
  site: 'portal-test',
  publishableKey: 'test_key',
  load: (name: string) => Promise.resolve(name === 'paypal' ? payPal : undefined),
  load3DSHandler: () => Promise.resolve(threeDS),
  createComponent: createComponent,
};

const Chargebee = {
  init: (options: unknown) => {
    fakeChargebee.init(options);
    return instance;
  },
  getInstance: () => instance,
};

async function findScript(): Promise<HTMLScriptElement> {
  return waitFor(() => {
    const script = document.head.querySelector<HTMLScriptElement>('script[src*="chargebee.js"]');
    if (!script) throw new Error('The provider’s script has not been requested.');
    return script;
  });
}

/** Completes the load of the script that the page has requested. */
export async function loadProviderScript(): Promise<void> {
  const script = await findScript();
  script.remove();
  Object.assign(window, { Chargebee });
  await act(async () => script.dispatchEvent(new Event('load')));
}

/** Fails the load of the script, as a content blocker does. */
export async function blockProviderScript(): Promise<void> {
  const script = await findScript();
  script.remove();
  act(() => script.dispatchEvent(new Event('error')));
}

/** Simulates typing in one of the provider's fields. */
export function typeInHostedField(
  kind: FieldKind,
  event: { complete: boolean; error?: { message: string }; cardType?: string },
) {
  act(() =>
    fields.get(kind)?.get('change')?.({ field: kind, empty: false, error: undefined, ...event }),
  );
}

/** Simulates typing a complete card. */
export function typeWholeCard(): void {
  for (const kind of ['number', 'expiry', 'cvv'] as const)
    typeInHostedField(kind, { complete: true });
}

export function waitForHostedFields(): Promise<void> {
  return waitFor(() => {
    if (fields.size !== 3) throw new Error('The card fields have not been mounted.');
  });
}

/** Resets the fake. */
export function resetFakeChargebee(): void {
  fields.clear();
  fakeChargebee.focused = [];
}
