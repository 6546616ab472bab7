const Status = { CREATED: 0, MOUNTING: 1, MOUNTED: 2 };
const FIELDS = ['number', 'expiry', 'cvv'];
let components = 0;

/** A card: three fields in containers of their own, or a single frame with all three if no field was created. */
class CardComponent {
  constructor(instance, options) {
    components += 1;
    this.type = 'card';
    this.id = `cb-card-${components}`;
    this.group = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('');
    this.instance = instance;
    this.credentials = instance.credentials();
    this.options = options ?? {};
    this.fields = [];
    this.status = Status.CREATED;
    this.listeners = new Listeners();
  }

  createField(type, options) {
    if (!FIELDS.includes(type)) throw new CbError('invalidFieldType');
    if (this.fields.some((field) => field.type === type)) throw new CbError('fieldAlreadyExists');
    const field = new Field(this, type, options);
    this.fields.push(field);
    return field;
  }

  at(place) {
    this.place = place;
    return this;
  }

  on(event, listener) {
    this.listeners.add(event, listener);
    return this;
  }

  /** Mount the fields created so far. */
  mount(place) {
    if (this.status !== Status.CREATED) return this.mounting;
    if (!this.fields.length) {
      const combined = new Field(this, 'combined', {});
      combined.place = place ?? this.place;
      this.fields.push(combined);
    }
    this.status = Status.MOUNTING;
    const placed = this.fields.filter((field) => field.place);
    this.mounting = Promise.all(placed.map((field) => field.mount())).then(() => true);
    return this.mounting;
  }

  isMounted() {
    return this.status === Status.MOUNTED;
  }

  update(options) {
    this.options = { ...this.options, ...options };
    for (const field of this.fields) field.update();
    return this;
  }

  focus() {
    this.fields[0]?.focus();
  }

  blur() {
    for (const field of this.fields) field.blur();
  }

  clear() {
    for (const field of this.fields) field.clear();
  }

  destroy() {
    for (const field of [...this.fields]) field.destroy();
    this.status = Status.CREATED;
    this.listeners.removeAll();
    return Promise.resolve(true);
  }

  /** Resolve to whether the card is complete; incomplete fields show their errors from now on. */
  validateCardDetails() {
    const unfinished = this.fields.filter((field) => !field.state.complete);
    for (const field of unfinished) field.frame?.send('insist');
    return Promise.resolve(!unfinished.length);
  }

  tokenize(details) {
    return this.submit('/v2/tokens', details).then(({ token }) => ({
      token: token.id,
      vaultToken: token.id_at_vault,
    }));
  }

  /** Authorize an intent with this card, whose issuer may challenge the payer. */
  authorizeWith3ds(intent, details, callbacks = {}) {
    if (!intent?.id) return failure('missingPaymentIntent');
    const path = `/v2/payment_intents/${encodeURIComponent(intent.id)}/card`;
    return authorizeIntent(this.instance, intent, () => this.submit(path, details), callbacks);
  }

  async submit(path, details = {}) {
    if (this.status !== Status.MOUNTED) throw new CbError('componentNotMounted');
    const bearer = this.fields.find((field) => ['number', 'combined'].includes(field.type));
    const kinds = this.fields.map((field) => field.type);
    if (!bearer || (bearer.type === 'number' && kinds.length < FIELDS.length)) throw new CbError('missingFields');
    // Ask the frames, whose last events may not have arrived here yet.
    try {
      return await bearer.frame.ask('submit', { path, needed: FIELDS, details: ownerOf(details) });
    } catch (error) {
      if (error.code === 'validationFailed') await this.validateCardDetails();
      throw error;
    }
  }

  removeField(removed) {
    this.fields = this.fields.filter((field) => field !== removed);
  }

  fieldReady() {
    if (this.status === Status.CREATED || !this.fields.every((field) => field.ready)) return;
    this.status = Status.MOUNTED;
    this.listeners.notify('ready', this);
  }

  /** Notify the component's listeners: of every event of a combined frame, else of change and keyPress alone. */
  handleFieldEvent(field, event, data) {
    if (field.type !== 'combined' && !['change', 'keyPress'].includes(event)) return;
    this.listeners.notify(event, data);
  }
}

const OWNER = ['firstName', 'lastName', 'addressLine1', 'addressLine2', 'city', 'state', 'stateCode', 'zip', 'countryCode'];

/** Return the attributes of the card's owner as strings. */
function ownerOf(details) {
  const attributes = { ...details.customer, ...details.billingAddress, ...details };
  const texts = OWNER.filter((name) => attributes[name]).map((name) => [name, String(attributes[name])]);
  return Object.fromEntries(texts);
}
