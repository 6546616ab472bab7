/** A frame of the provider's origin, which exchanges messages with its own window and origin alone. */
class Frame {
  constructor(path, { title, handlers, ...query }) {
    const parameters = new URLSearchParams({ ...query, parent: window.location.origin });
    this.handlers = handlers;
    this.requests = new Map();
    this.element = document.createElement('iframe');
    this.element.title = title;
    this.element.src = `${PROVIDER}${path}?${parameters}`;
    this.element.allow = 'payment';
    this.element.style.cssText = 'display:block;width:100%;border:0;background:transparent';
    this.onMessage = (event) => this.receive(event);
  }

  attach(container) {
    window.addEventListener('message', this.onMessage);
    container.append(this.element);
  }

  detach() {
    window.removeEventListener('message', this.onMessage);
    this.element.remove();
    for (const { reject } of this.requests.values()) reject(new CbError('componentNotMounted'));
    this.requests.clear();
  }

  send(type, data = {}) {
    this.element.contentWindow?.postMessage({ type, ...data }, PROVIDER);
  }

  /** Send a request and return its answer. */
  ask(type, data) {
    const request = crypto.getRandomValues(new Uint32Array(2)).join('-');
    return new Promise((resolve, reject) => {
      this.requests.set(request, { resolve, reject });
      this.send(type, { request, ...data });
    });
  }

  receive({ source, origin, data }) {
    if (source !== this.element.contentWindow || origin !== PROVIDER || !data) return;
    if (data.type === 'answer') this.settleRequest(data);
    else if (Object.hasOwn(this.handlers, data.type)) this.handlers[data.type](data);
  }

  settleRequest({ request, answer, error }) {
    const { resolve, reject } = this.requests.get(request) ?? {};
    this.requests.delete(request);
    if (error) reject?.(new CbError(error.code, error));
    else resolve?.(answer);
  }

  setHeight(height) {
    this.element.style.height = `${height}px`;
  }
}
