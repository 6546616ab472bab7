const MODULES = {
  components: () => undefined,
  paypal: (instance) => new PayPalHandler({ master: instance.master, cspNonce: instance.options.cspNonce }),
};

/** The instance that Chargebee.init returns. */
class Instance {
  constructor(options) {
    this.options = options;
    this.site = options.site;
    this.publishableKey = options.publishableKey;
    this.master = new Master(this.credentials());
  }

  /** Load a module; for a payment method, return a new handler. */
  async load(name) {
    if (!Object.hasOwn(MODULES, name)) throw new CbError('moduleNotLoaded');
    if (!this.publishableKey) throw new CbError('missingPublishableKey');
    return MODULES[name](this);
  }

  createComponent(type, options) {
    if (type !== 'card') throw new CbError('invalidComponentType');
    if (!this.publishableKey) throw new CbError('missingPublishableKey');
    return new CardComponent(this, options);
  }

  tokenize(component, details) {
    return component.tokenize(details);
  }

  authorizeWith3ds(component, intent, details, callbacks) {
    return component.authorizeWith3ds(intent, details, callbacks);
  }

  /** Load the module of the handler, and return a new one. */
  async load3DSHandler() {
    this.hasThreeDS = true;
    return this.create3DSHandler();
  }

  create3DSHandler() {
    if (!this.hasThreeDS) throw new CbError('moduleNotLoaded');
    if (!this.publishableKey) throw new CbError('missingPublishableKey');
    return new ThreeDSHandler(this);
  }

  credentials() {
    return { site: this.site, key: this.publishableKey };
  }
}

let instance = null;

window.Chargebee = {
  init(options) {
    if (instance) throw new CbError('alreadyInitialised');
    if (!options?.site) throw new CbError('missingSite');
    instance = new Instance(options);
    return instance;
  },

  getInstance() {
    if (!instance) throw new CbError('notInitialised');
    return instance;
  },

  /** Do nothing: the provider looks for checkout links here, and this script opens no checkout. */
  registerAgain() {},

  tearDown() {
    instance = null;
  },
};
