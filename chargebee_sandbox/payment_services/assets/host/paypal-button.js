/* PayPal's button in the merchant's page: a container with a style of its own, the frame, and a cover while its window is open. */

const SCRIPT = document.currentScript;
const { protocol, host } = new URL(SCRIPT.src);
const PAYPAL = `${protocol}//${host.replace('paypalobjects', 'paypal')}`;
const PAYPAL_OBJECTS = `${protocol}//${host.replace(/paypal(objects)?/, 'paypalobjects')}`;
const NONCE = SCRIPT.dataset.cspNonce;
let buttons = 0;

/** Report to PayPal, as its scripts do all the time. Nothing depends on the answer. */
function report(event) {
  const body = JSON.stringify({ events: [event] });
  fetch(`${PAYPAL}/xoplatform/logger/api/logger`, { method: 'POST', body }).catch(() => undefined);
}

/** Return a style element, which a policy without inline styles allows by its nonce alone. */
function styleOf(rules) {
  const style = document.createElement('style');
  if (NONCE) style.nonce = NONCE;
  style.textContent = rules;
  return style;
}

class Button {
  /** `actions`: `createToken` returns a promise; `click`, `approve`, `cancel` and `fail` are told what the payer does. */
  constructor({ label = 'paypal', height = 45 }, actions) {
    buttons += 1;
    this.id = `zoid-paypal-buttons-${buttons}`;
    this.height = Math.min(55, Math.max(25, Number(height) || 45));
    this.label = label;
    this.actions = actions;
    this.onMessage = (event) => this.receive(event);
  }

  /** Draw the button in a place. Resolves once its frame can be pressed. */
  render(place) {
    this.element = document.createElement('div');
    this.element.id = this.id;
    this.element.className = 'paypal-buttons paypal-buttons-context-iframe';
    this.element.append(
      styleOf(`
        #${this.id} { position: relative; display: inline-block; width: 100%; min-width: 150px; max-width: 750px; font-size: 0; }
        #${this.id} > iframe { display: block; width: 100%; height: ${this.height}px; border: 0; }
      `),
      this.createFrame(),
    );
    window.addEventListener('message', this.onMessage);
    document.querySelector(place).append(this.element);
    report('paypal_button_render');
    return new Promise((resolve) => {
      this.whenReady = resolve;
    });
  }

  createFrame() {
    this.frame = document.createElement('iframe');
    this.frame.title = 'PayPal';
    this.frame.allow = 'payment';
    const parameters = new URLSearchParams({ label: this.label, height: this.height, parent: window.location.origin });
    this.frame.src = `${PAYPAL}/smart/buttons?${parameters}`;
    return this.frame;
  }

  close() {
    this.uncover();
    window.removeEventListener('message', this.onMessage);
    this.element?.remove();
  }

  receive({ source, origin, data }) {
    if (source !== this.frame.contentWindow || origin !== PAYPAL || !data) return;
    const handlers = {
      ready: () => this.whenReady(),
      click: () => this.start(),
      blocked: () => this.actions.fail(new Error('PayPal could not open its window.')),
      ended: ({ outcome }) => this.end(outcome),
    };
    if (Object.hasOwn(handlers, data.type)) handlers[data.type](data);
  }

  send(type, data = {}) {
    this.frame.contentWindow?.postMessage({ type, ...data }, PAYPAL);
  }

  async start() {
    this.cover();
    this.actions.click();
    report('paypal_button_click');
    try {
      this.send('token', { token: await this.actions.createToken() });
    } catch (error) {
      this.send('close');
      this.uncover();
      this.actions.fail(error);
    }
  }

  end(outcome) {
    this.uncover();
    if (outcome === 'approved') this.actions.approve();
    else if (outcome === 'failed') this.actions.fail(undefined);
    else this.actions.cancel();
  }

  cover() {
    this.covering = document.createElement('div');
    this.covering.className = 'paypal-checkout-sandbox';
    const logo = Object.assign(new Image(), { src: `${PAYPAL_OBJECTS}/images/logo.svg`, alt: 'PayPal' });
    const close = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Close PayPal' });
    close.addEventListener('click', () => this.send('close'));
    this.covering.append(
      styleOf(`
        .paypal-checkout-sandbox { position: fixed; inset: 0; z-index: 2147483647; display: grid; place-content: center;
          justify-items: center; gap: 16px; background: rgb(0 0 0 / 75%); color: #fff; font: 16px/1.5 system-ui, sans-serif; }
        .paypal-checkout-sandbox button { min-height: 44px; padding: 0 24px; border: 1px solid #fff; border-radius: 22px;
          background: none; color: inherit; font: inherit; cursor: pointer; }
      `),
      logo,
      'Finish in the window that PayPal has opened.',
      close,
    );
    document.body.append(this.covering);
  }

  uncover() {
    this.covering?.remove();
    this.covering = undefined;
  }
}
