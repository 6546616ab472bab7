/** PayPal: a button that opens the provider's window, in which the payer decides about an intent. */
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

  /** Mount the button, which works once handlePayment has been called. */
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
            this.frame.setHeight(height);
            resolve(true);
          },
          click: () => this.callbacks?.click?.(),
          ended: (result) => this.finish(result),
        },
      });
      this.frame.attach(container);
    });
  }

  /** Wait for the decision of the payer. Settles once; call it again for another attempt. */
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

  finish({ outcome, intent, error }) {
    const { resolve, reject, callbacks } = this;
    this.resolve = this.reject = undefined;
    if (intent) this.intent = intent;
    try {
      resolve?.(this.reportOutcome(outcome, error, callbacks ?? {}));
    } catch (failed) {
      reject?.(failed);
    }
  }

  reportOutcome(outcome, error, callbacks) {
    if (outcome === 'cancelled') {
      callbacks.cancel?.();
      throw new CbError('paymentCancelled');
    }
    if (!error && outcome !== 'over') return settlePayment(this.intent, callbacks);
    const failed = new CbError(error?.code ?? 'paymentFailed', error);
    callbacks.error?.(this.intent, failed);
    throw failed;
  }
}
