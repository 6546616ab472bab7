/** Draw PayPal's button in a place with the scripts of the intent's gateway, `{clientId, merchantId}` being its account. */
const PAYPAL_BUTTONS = {
  /** PayPal Commerce: https://www.paypal.com/sdk/js */
  async paypal(place, { account, cspNonce, style, actions }) {
    const { clientId, merchantId } = account;
    const query = new URLSearchParams({ 'client-id': clientId, 'merchant-id': merchantId, vault: true, intent: 'tokenize' });
    await injectScript(`${serviceOrigin('www.paypal')}/sdk/js?${query}`, cspNonce);
    const { createToken, ...rest } = actions;
    const button = window.paypal.Buttons({ style, createBillingAgreement: createToken, ...rest });
    await button.render(place);
    return button;
  },

  /** PayPal Express Checkout: https://www.paypalobjects.com/api/checkout.min.js */
  async paypal_express_checkout(place, { cspNonce, style, actions }) {
    await injectScript(`${serviceOrigin('www.paypalobjects')}/api/checkout.min.js`, cspNonce);
    const { createToken, onApprove, ...rest } = actions;
    return window.paypal.Button.render({ style, payment: createToken, onAuthorize: onApprove, ...rest }, place);
  },

  /** Braintree: its client and paypal-checkout modules, the second of which loads PayPal's SDK. */
  async braintree(place, { account, cspNonce, style, actions }) {
    const modules = `${serviceOrigin('js.braintreegateway')}/web/3.136.0/js`;
    await injectScript(`${modules}/client.min.js`, cspNonce);
    await injectScript(`${modules}/paypal-checkout.min.js`, cspNonce);
    const client = await window.braintree.client.create({ authorization: account.merchantId });
    const checkout = await window.braintree.paypalCheckout.create({ client });
    await checkout.loadPayPalSDK({ vault: true, dataAttributes: cspNonce ? { 'csp-nonce': cspNonce } : {} });
    const { createToken, onApprove, ...rest } = actions;
    const onTokenized = (data) => checkout.tokenizePayment(data).then(onApprove);
    const button = window.paypal.Buttons({ style, createBillingAgreement: createToken, onApprove: onTokenized, ...rest });
    await button.render(place);
    return button;
  },
};

/** PayPal: a button of PayPal's own, whose window lets the payer decide about an intent. */
class PayPalHandler {
  constructor({ master, cspNonce }) {
    this.master = master;
    this.cspNonce = cspNonce;
    // A click before handlePayment waits for it.
    this.token = new Promise((resolve) => {
      this.provideToken = resolve;
    });
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
  async mountPaymentButton(place, options) {
    if (!this.intent) throw new CbError('missingPaymentIntentForMountButton');
    elementAt(place);
    const { gateway, client_id: clientId, merchant_id: merchantId } = await this.master.request(this.path());
    this.button?.close();
    this.button = await PAYPAL_BUTTONS[gateway](place, {
      account: { clientId, merchantId },
      cspNonce: this.cspNonce,
      style: options?.style,
      actions: {
        createToken: () => this.token,
        onClick: () => this.callbacks?.click?.(),
        onApprove: () => this.finish(),
        onCancel: () => this.finish(),
        onError: (error) => this.finish(error),
      },
    });
    return true;
  }

  /** Wait for the decision of the payer. Settles once; call it again for another attempt. */
  handlePayment(callbacks = {}) {
    if (!this.intent) return failure('missingPaymentIntent');
    if (!this.button) return failure('componentNotMounted');
    this.reject?.(new CbError('superseded'));
    this.callbacks = callbacks;
    return new Promise((resolve, reject) => {
      Object.assign(this, { resolve, reject });
      this.master.request(`${this.path()}/attempts`).then(
        ({ attempt }) => {
          this.attempt = attempt;
          this.provideToken(attempt);
          this.token = Promise.resolve(attempt);
        },
        (error) => this.settle({ error }),
      );
    });
  }

  path() {
    return `/v2/payment_intents/${encodeURIComponent(this.intent.id)}/paypal`;
  }

  /** Ask the provider how the attempt has ended; the payer's page says only that it has. */
  async finish(error) {
    const path = `/v2/paypal_attempts/${encodeURIComponent(this.attempt)}/finish`;
    try {
      const { outcome, payment_intent: intent } = await this.master.request(path);
      this.settle({ outcome, intent, error });
    } catch (unknown) {
      this.settle({ error: unknown });
    }
  }

  settle({ outcome, intent, error }) {
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
    if (!error && outcome === 'cancelled') {
      callbacks.cancel?.();
      throw new CbError('paymentCancelled');
    }
    if (!error && outcome !== 'over') return settlePayment(this.intent, callbacks);
    const failed = new CbError(error?.code ?? 'paymentFailed', error);
    callbacks.error?.(this.intent, failed);
    throw failed;
  }
}
