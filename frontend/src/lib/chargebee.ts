/** An intent to pay as the provider made it: it passes through to the provider's script as it is. */
export interface PaymentIntent {
  id: string;
  [detail: string]: unknown;
}

/** What the script tells while a payer decides. */
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

/** The parts of the provider's script that the portal uses by itself; the card fields' wrapper uses others. */
export interface ChargebeeInstance {
  site: string;
  publishableKey: string;
  load(module: 'components'): Promise<unknown>;
  load(module: 'paypal'): Promise<PayPalHandler>;
}
