/** PayPal: a button, and the payer's decision about an intent in a window of the provider's. */
class PayPalHandler {
  constructor(credentials) {
    this.credentials = credentials;
  }

  setPaymentIntent(intent) {
    this.intent = intent;
  }

  updatePaymentIntent(intent) {
    this.intent = { ...this.intent, ...intent };
  }

  getPaymentIntent() {
    return this.intent;
  }

  /** Draw the button. It can be used once handlePayment was called. */
  mountPaymentButton(place, options) {
    if (!this.intent) return failure('missingPaymentIntentForMountButton');
    return new Promise((resolve) => {
      const container = elementAt(place);
      this.frame?.detach();
      this.frame = new Frame('/v2/paypal-button', {
        title: 'PayPal',
        handlers: {
          hello: () => this.frame.send('setup', { options: { height: options?.style?.height } }),
          ready: ({ height }) => {
            this.frame.grow(height);
            resolve(true);
          },
          click: () => this.callbacks?.click?.(),
          ended: (ending) => this.ended(ending),
        },
      });
      this.frame.attach(container);
    });
  }

  /** Let the payer decide. Settles once; for another try it is called again. */
  handlePayment(callbacks = {}) {
    if (!this.intent) return failure('missingPaymentIntent');
    if (!this.frame) return failure('componentNotMounted');
    this.reject?.(new CbError('superseded'));
    this.callbacks = callbacks;
    return new Promise((resolve, reject) => {
      Object.assign(this, { resolve, reject });
      this.frame.send('begin', { ...this.credentials, intent: this.intent.id });
    });
  }

  ended({ outcome, intent, error }) {
    const { resolve, reject, callbacks } = this;
    this.resolve = this.reject = undefined;
    if (intent) this.intent = intent;
    try {
      resolve?.(this.settled(outcome, error, callbacks ?? {}));
    } catch (failed) {
      reject?.(failed);
    }
  }

  settled(outcome, error, callbacks) {
    if (outcome === 'cancelled') {
      callbacks.cancel?.();
      throw new CbError('paymentCancelled');
    }
    if (!error && outcome !== 'over') return settle(this.intent, callbacks);
    const failed = new CbError(error?.code ?? 'paymentFailed', error);
    callbacks.error?.(this.intent, failed);
    throw failed;
  }
}
