import { act, waitFor } from '@testing-library/react';
import { vi } from 'vitest';

/** A stand-in for the provider's script, as far as the card fields' wrapper and the PayPal page lean on it. */

type Kind = 'number' | 'expiry' | 'cvv';
type Listener = (told: unknown) => void;

const fields = new Map<Kind, Map<string, Listener>>();

/** What a test decides and looks at. */
export const provider = {
  init: vi.fn(),
  tokenize: vi.fn(),
  /** Settles as the payer decides. */
  pay: vi.fn(),
  setPaymentIntent: vi.fn(),
  focused: [] as Kind[],
};

function aField(kind: Kind) {
  const listeners = new Map<string, Listener>();
  fields.set(kind, listeners);
  const field = {
    at: () => field,
    on: (event: string, listener: Listener) => {
      listeners.set(event, listener);
      return field;
    },
    focus: () => provider.focused.push(kind),
    update: () => undefined,
    destroy: () => fields.delete(kind),
  };
  return field;
}

function aComponent() {
  return {
    status: 0,
    createField: aField,
    mount: () => {
      for (const listeners of fields.values()) queueMicrotask(() => listeners.get('ready')?.({}));
    },
    tokenize: provider.tokenize,
    update: () => undefined,
    destroy: () => undefined,
  };
}

const payPal = {
  setPaymentIntent: provider.setPaymentIntent,
  mountPaymentButton: () => Promise.resolve(),
  handlePayment: provider.pay,
};

const instance = {
  site: 'portal-test',
  publishableKey: 'test_key',
  load: (name: string) => Promise.resolve(name === 'paypal' ? payPal : undefined),
  createComponent: aComponent,
};

const Chargebee = {
  init: (options: unknown) => {
    provider.init(options);
    return instance;
  },
  getInstance: () => instance,
};

async function scriptAsked(): Promise<HTMLScriptElement> {
  return waitFor(() => {
    const script = document.head.querySelector<HTMLScriptElement>('script[src*="chargebee.js"]');
    if (!script) throw new Error('The provider’s script has not been asked for.');
    return script;
  });
}

/** Lets the script arrive that the page has asked for. */
export async function scriptComes(): Promise<void> {
  const script = await scriptAsked();
  script.remove();
  Object.assign(window, { Chargebee });
  await act(async () => script.dispatchEvent(new Event('load')));
}

/** Keeps the script away, as a blocker does. */
export async function scriptIsBlocked(): Promise<void> {
  const script = await scriptAsked();
  script.remove();
  act(() => script.dispatchEvent(new Event('error')));
}

/** What one types into a field of the provider's, as it tells the page. */
export function typeInto(kind: Kind, told: { complete: boolean; error?: { message: string } }) {
  act(() =>
    fields.get(kind)?.get('change')?.({ field: kind, empty: false, error: undefined, ...told }),
  );
}

/** A whole card, typed. */
export function typeCard(): void {
  for (const kind of ['number', 'expiry', 'cvv'] as const) typeInto(kind, { complete: true });
}

export function fieldsAreThere(): Promise<void> {
  return waitFor(() => {
    if (fields.size !== 3) throw new Error('The card fields are not there.');
  });
}

/** Forgets what a test did; the script stays started, as it does on a page. */
export function forgetProvider(): void {
  for (const script of document.head.querySelectorAll('script')) script.remove();
  fields.clear();
  provider.focused = [];
}
