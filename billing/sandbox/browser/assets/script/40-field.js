const TITLES = { number: 'Card number', expiry: 'Expiry date', cvv: 'Security code', combined: 'Card details' };
const CLASSES = { focus: 'focus', invalid: 'invalid', empty: 'empty', complete: 'complete' };

/** One field of a card component: a place in the page, and the frame in it that holds what is typed. */
class Field {
  constructor(component, type, options) {
    this.component = component;
    this.type = type;
    this.options = options ?? {};
    this.listeners = new Listeners();
    this.state = { field: type, complete: false, empty: true, error: undefined, cardType: undefined };
    this.frame = null;
    this.ready = false;
  }

  /** Remember where the field goes. On a component that is mounted already, it goes there now. */
  at(place) {
    this.place = place;
    if (this.component.status !== Status.CREATED) this.mount();
    return this;
  }

  mount() {
    this.mounting ??= new Promise((resolve) => {
      this.container = elementAt(this.place);
      this.frame = new Frame('/v2/card-field', {
        kind: this.type,
        group: this.component.group,
        title: this.labelled().ariaLabel || TITLES[this.type],
        handlers: this.handlers(resolve),
      });
      this.frame.attach(this.container);
      this.paint(false);
    });
    return this.mounting;
  }

  on(event, listener) {
    this.listeners.add(event, listener);
    return this;
  }

  update(options) {
    this.options = { ...this.options, ...options };
    this.frame?.send('update', { options: this.look() });
    return this;
  }

  focus() {
    this.frame?.element.focus();
    this.frame?.send('focus');
  }

  blur() {
    this.frame?.send('blur');
  }

  clear() {
    this.frame?.send('clear');
  }

  isMounted() {
    return this.ready;
  }

  getStatus() {
    return this.ready ? Status.MOUNTED : this.frame ? Status.MOUNTING : Status.CREATED;
  }

  destroy() {
    this.frame?.detach();
    this.frame = null;
    this.ready = false;
    this.listeners.silence();
    this.component.forget(this);
    if (this.container) this.container.classList.remove(...Object.values(this.classes()));
    return Promise.resolve(true);
  }

  handlers(mounted) {
    return {
      hello: () => this.frame.send('setup', { ...this.component.credentials, options: this.look() }),
      ready: ({ height }) => {
        this.frame.grow(height);
        this.ready = true;
        mounted(true);
        this.listeners.tell('ready', this);
        this.component.fieldReady();
      },
      event: ({ event, state }) => this.happened(event, state),
    };
  }

  happened(event, state) {
    this.state = state;
    const told = { type: event, ...state };
    if (event === 'focus' || event === 'blur') this.paint(event === 'focus');
    else this.paint(this.container.classList.contains(this.classes().focus));
    this.listeners.tell(event, told);
    this.component.happened(this, event, told);
  }

  paint(focused) {
    const { focus, invalid, empty, complete } = this.classes();
    const { classList } = this.container;
    classList.toggle(focus, focused);
    classList.toggle(invalid, Boolean(this.state.error));
    classList.toggle(empty, this.state.empty);
    classList.toggle(complete, this.state.complete);
  }

  classes() {
    return { ...CLASSES, ...this.component.options.classes };
  }

  /** The options that the frame needs: its own before the component's. */
  look() {
    const { style, locale } = this.component.options;
    return { style: this.options.style ?? style, locale, ...this.labelled() };
  }

  labelled() {
    const { placeholder, ariaLabel } = this.component.options;
    const own = (words) => (this.type === 'combined' ? words : words?.[this.type]);
    return {
      placeholder: this.options.placeholder ?? own(placeholder),
      ariaLabel: this.options.ariaLabel ?? own(ariaLabel),
    };
  }
}
