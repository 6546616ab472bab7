const MODULES = {
  components: () => undefined,
  paypal: (credentials) => new PayPalHandler(credentials),
};

/** The instance that Chargebee.init returns. */
class Instance {
  constructor(options) {
    this.options = options;
    this.site = options.site;
    this.publishableKey = options.publishableKey;
  }

  /** Load a module; for a payment method, return a new handler. */
  async load(name) {
    if (!Object.hasOwn(MODULES, name)) throw new CbError('moduleNotLoaded');
    if (!this.publishableKey) throw new CbError('missingPublishableKey');
    return MODULES[name](this.credentials());
  }

  createComponent(type, options) {
    if (type !== 'card') throw new CbError('invalidComponentType');
    if (!this.publishableKey) throw new CbError('missingPublishableKey');
    return new CardComponent(this.credentials(), options);
  }

  tokenize(component, details) {
    return component.tokenize(details);
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
