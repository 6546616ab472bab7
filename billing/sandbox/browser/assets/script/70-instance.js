const MODULES = {
  components: () => undefined,
  paypal: (credentials) => new PayPalHandler(credentials),
};

/** What Chargebee.init gives. */
class Instance {
  constructor(options) {
    this.options = options;
    this.site = options.site;
    this.publishableKey = options.publishableKey;
  }

  /** Load a module; the payment methods' modules are handlers, a new one each time. */
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

  /** Look again for the checkout links of a page; this script opens no checkout, so there are none. */
  registerAgain() {},

  tearDown() {
    instance = null;
  },
};
