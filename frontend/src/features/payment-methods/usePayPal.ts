import { useEffect, useRef, useState } from 'react';

import type { ChargebeeInstance, PaymentIntent } from '@/lib/chargebee';
import { SCRIPT_TIMEOUT_MS } from '@/lib/chargebeeScript';
import { askUntilSettled, newIntentKey } from '@/lib/command';
import { ApiError } from '@/lib/errors';
import { createPaymentIntent } from './api';
import { within } from './within';
import { failureWords, providerWords } from './words';

const CANCELLED = 'You left PayPal before it was done. Nothing was added, and nothing was charged.';

/** Thrown when the payer turns back. */
class Cancelled extends Error {}

/** Lets the payer decide; what happens first counts, since the script may tell it in more than one way. */
function decision(pay: (callbacks: object) => Promise<PaymentIntent>): Promise<PaymentIntent> {
  return new Promise((resolve, reject) => {
    pay({
      success: resolve,
      error: (_intent: unknown, error: unknown) => reject(error),
      cancel: () => reject(new Cancelled(CANCELLED)),
    }).then(resolve, reject);
  });
}

interface PayPalOptions {
  /** Null while the script is on its way; nothing happens until it is there. */
  instance: ChargebeeInstance | null;
  /** The id of the element in which the button goes. */
  place: string;
  onAgreed: (intent: PaymentIntent) => void;
}

/** How far it is: the button is on its way, can be pressed, or the try is over and why. */
type Step =
  | { at: 'preparing' | 'ready' | 'agreed' }
  | { at: 'ended'; words: string; tone: 'info' | 'error' };

/** Sets up PayPal's button and waits for the payer: each try has an intent of its own. */
export function usePayPal({ instance, place, onAgreed }: PayPalOptions): Step {
  const [step, setStep] = useState<Step>({ at: 'preparing' });
  const agreed = useRef(onAgreed);
  useEffect(() => {
    agreed.current = onAgreed;
  });
  useEffect(() => {
    if (!instance) return;
    let isLeft = false;
    const become = (next: Step) => {
      if (!isLeft) setStep(next);
    };
    const key = newIntentKey();
    const run = async () => {
      const intent = await askUntilSettled(() => createPaymentIntent(key));
      const handler = await within(SCRIPT_TIMEOUT_MS, instance.load('paypal'));
      if (isLeft) return;
      handler.setPaymentIntent(intent);
      const mounted = handler.mountPaymentButton(`#${place}`, { style: { height: 44 } });
      await within(SCRIPT_TIMEOUT_MS, mounted);
      become({ at: 'ready' });
      const result = await decision((callbacks) => handler.handlePayment(callbacks));
      if (isLeft) return;
      become({ at: 'agreed' });
      agreed.current(result);
    };
    run().catch((error: unknown) => {
      const words = error instanceof ApiError ? failureWords(error) : providerWords(error);
      become({ at: 'ended', words, tone: error instanceof Cancelled ? 'info' : 'error' });
    });
    return () => {
      isLeft = true;
    };
  }, [instance, place]);
  return step;
}
