import { useEffect, useRef, useState } from 'react';
import { createPaymentIntent } from '@/features/payment-methods/shared/api';
import { providerErrorMessage } from '@/features/payment-methods/shared/messages';
import { withTimeout } from '@/features/payment-methods/shared/withTimeout';
import { ApiError, changeFailureMessage } from '@/lib/api/errors';
import { createIdempotencyKey, sendUntilSettled } from '@/lib/api/useCommand';
import { SCRIPT_TIMEOUT_MS } from '@/lib/chargebee/loadChargebee';
import type { ChargebeeInstance, PaymentIntent } from '@/lib/chargebee/types';

const CANCELLED_MESSAGE = 'You left PayPal before finishing. Nothing was added or charged.';

/** In PayPal's terms: one button, as high and round as ours, with PayPal's logo alone. */
const BUTTON_STYLE = {
  layout: 'horizontal',
  label: 'paypal',
  shape: 'pill',
  height: 44,
  tagline: false,
};

/** Thrown when the payer cancels at PayPal. */
class PayerCancelled extends Error {}

/**
 * Waits for the payer's decision. The first signal counts, because the script can report it through
 * a callback or the promise.
 */
function waitForDecision(
  pay: (callbacks: object) => Promise<PaymentIntent>,
): Promise<PaymentIntent> {
  return new Promise((resolve, reject) => {
    pay({
      success: resolve,
      error: (_intent: unknown, error: unknown) => reject(error),
      cancel: () => reject(new PayerCancelled(CANCELLED_MESSAGE)),
    }).then(resolve, reject);
  });
}

interface PayPalOptions {
  /** Null while the script is loading. */
  instance: ChargebeeInstance | null;
  /** The id of the element that contains the button. */
  elementId: string;
  onAgreed: (intent: PaymentIntent) => void;
}

/** The state of the attempt. */
type Step =
  | { at: 'preparing' | 'ready' | 'agreed' }
  | { at: 'ended'; message: string; tone: 'info' | 'error' };

/** Mounts PayPal's button and waits for the payer. Each attempt has its own payment intent. */
export function usePayPalAttempt({ instance, elementId, onAgreed }: PayPalOptions): Step {
  const [step, setStep] = useState<Step>({ at: 'preparing' });
  const latestOnAgreed = useRef(onAgreed);
  useEffect(() => {
    latestOnAgreed.current = onAgreed;
  });
  useEffect(() => {
    if (!instance) return;
    let isUnmounted = false;
    const updateStep = (next: Step) => {
      if (!isUnmounted) setStep(next);
    };
    const key = createIdempotencyKey();
    const runAttempt = async () => {
      const intent = await sendUntilSettled(() =>
        createPaymentIntent({ paymentsource: 'PAYPAL' }, key),
      );
      const handler = await withTimeout(SCRIPT_TIMEOUT_MS, instance.load('paypal'));
      if (isUnmounted) return;
      handler.setPaymentIntent(intent);
      const mounted = handler.mountPaymentButton(`#${elementId}`, { style: BUTTON_STYLE });
      await withTimeout(SCRIPT_TIMEOUT_MS, mounted);
      updateStep({ at: 'ready' });
      const result = await waitForDecision((callbacks) => handler.handlePayment(callbacks));
      if (isUnmounted) return;
      updateStep({ at: 'agreed' });
      latestOnAgreed.current(result);
    };
    runAttempt().catch((error: unknown) => {
      const message =
        error instanceof ApiError ? changeFailureMessage(error) : providerErrorMessage(error);
      updateStep({
        at: 'ended',
        message,
        tone: error instanceof PayerCancelled ? 'info' : 'error',
      });
    });
    return () => {
      isUnmounted = true;
    };
  }, [instance, elementId]);
  return step;
}
