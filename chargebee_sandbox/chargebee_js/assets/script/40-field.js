const TITLES = { number: 'Card number', expiry: 'Expiry date', cvv: 'Security code', combined: 'Card details' };
const LINE_HEIGHT = 1.2;
const DEFAULT_FONT_SIZE = 16;
const CLASSES = { focus: 'focus', invalid: 'invalid', empty: 'empty', complete: 'complete' };

/** A field of a card component: a container in the page, with the frame that has the input. */
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

  /** Set the container of the field. If the component is mounted already, mount the field now. */
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
        title: this.labels().ariaLabel || TITLES[this.type],
        handlers: this.handlers(resolve),
      });
      this.frame.setHeight(this.height());
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
    this.frame?.setHeight(this.height());
    this.frame?.send('update', { options: this.frameOptions() });
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
    this.listeners.removeAll();
    this.component.removeField(this);
    if (this.container) this.container.classList.remove(...Object.values(this.classes()));
    return Promise.resolve(true);
  }

  handlers(mounted) {
    return {
      hello: () => this.frame.send('setup', { ...this.component.credentials, options: this.frameOptions() }),
      ready: () => {
        this.ready = true;
        mounted(true);
        this.listeners.notify('ready', this);
        this.component.fieldReady();
      },
      event: ({ event, state }) => this.handleEvent(event, state),
    };
  }

  handleEvent(event, state) {
    this.state = state;
    const data = { type: event, ...state };
    if (event === 'focus' || event === 'blur') this.paint(event === 'focus');
    else this.paint(this.container.classList.contains(this.classes().focus));
    this.listeners.notify(event, data);
    this.component.handleFieldEvent(this, event, data);
  }

  paint(focused) {
    const { focus, invalid, empty, complete } = this.classes();
    const { classList } = this.container;
    classList.toggle(focus, focused);
    classList.toggle(invalid, Boolean(this.state.error));
    classList.toggle(empty, this.state.empty);
    classList.toggle(complete, this.state.complete);
  }

  /** Return the height of the frame: 1.2 times the size of its font, whatever the page's container is. */
  height() {
    const [, pixels] = /^([\d.]+)px$/.exec(this.frameOptions().style?.base?.fontSize) ?? [];
    return LINE_HEIGHT * (pixels ?? DEFAULT_FONT_SIZE);
  }

  classes() {
    return { ...CLASSES, ...this.component.options.classes };
  }

  /** Return the options for the frame; the field's own override the component's. */
  frameOptions() {
    const { style, locale } = this.component.options;
    return { style: this.options.style ?? style, locale, ...this.labels() };
  }

  labels() {
    const { placeholder, ariaLabel } = this.component.options;
    const own = (words) => (this.type === 'combined' ? words : words?.[this.type]);
    return {
      placeholder: this.options.placeholder ?? own(placeholder),
      ariaLabel: this.options.ariaLabel ?? own(ariaLabel),
    };
  }
}
