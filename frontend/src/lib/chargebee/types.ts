/** A payment intent of the provider, passed unchanged to the provider's script. */
export interface PaymentIntent {
  id: string;
  [detail: string]: unknown;
}

/** The callbacks of the script about the payer's decision. */
export interface PayPalCallbacks {
  success?: (intent: PaymentIntent) => void;
  error?: (intent: PaymentIntent, error: unknown) => void;
  cancel?: () => void;
}

interface PayPalHandler {
  setPaymentIntent: (intent: PaymentIntent) => void;
  mountPaymentButton: (place: string, options: object) => Promise<unknown>;
  handlePayment: (callbacks: PayPalCallbacks) => Promise<PaymentIntent>;
}

interface ThreeDSHandler {
  setPaymentIntent: (intent: PaymentIntent) => void;
  /** A stored card needs no payment info: the intent names it. */
  handleCardPayment: (paymentInfo: object, callbacks: object) => Promise<PaymentIntent>;
}

/**
 * The parts of the provider's script that the portal calls directly; the wrapper of the card fields
 * uses others.
 */
export interface ChargebeeInstance {
  site: string;
  publishableKey: string;
  load(module: 'components'): Promise<unknown>;
  load(module: 'paypal'): Promise<PayPalHandler>;
  load3DSHandler(): Promise<ThreeDSHandler>;
}

/** What the provider's script defines. */
export interface Chargebee {
  init: (options: {
    site: string;
    publishableKey: string;
    iframeOnly: boolean;
    cspNonce?: string;
  }) => ChargebeeInstance;
}

/** A script that was started, and the instance that it returned. */
export interface StartedChargebee {
  Chargebee: Chargebee;
  instance: ChargebeeInstance;
}
