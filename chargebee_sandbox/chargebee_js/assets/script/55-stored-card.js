/** Authorizes an intent that was created for a stored card (by its `reference_id`). */
class ThreeDSHandler {
  constructor(instance) {
    this.instance = instance;
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

  /** Authorize the intent. A stored card needs no `paymentInfo`. */
  handleCardPayment(paymentInfo, callbacks = {}) {
    if (!this.intent) return failure('missingPaymentIntent');
    const request = () => this.requestAuthorization().finally(() => this.frame.detach());
    return authorizeIntent(this.instance, this.intent, request, callbacks ?? {}).then((intent) => {
      this.intent = intent;
      return intent;
    });
  }

  requestAuthorization() {
    return new Promise((resolve, reject) => {
      this.frame = new Frame('/v2/stored-card', {
        title: 'Card payment',
        handlers: {
          hello: () => this.frame.ask('authorize', { ...this.instance.credentials(), intent: this.intent.id }).then(resolve, reject),
        },
      });
      this.frame.element.hidden = true;
      this.frame.element.style.display = 'none';
      this.frame.attach(document.body);
    });
  }
}
