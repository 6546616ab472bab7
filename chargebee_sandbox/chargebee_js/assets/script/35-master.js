/** The hidden frame that sends this script's requests, so that a page's policy need not allow them. */
class Master {
  constructor(credentials) {
    this.credentials = credentials;
  }

  /** Send a request as the site. Returns the answer, or rejects with a CbError. */
  async request(path, body = {}) {
    await this.mount();
    return this.frame.ask('post', { path, body: { ...this.credentials, ...body } });
  }

  mount() {
    this.mounting ??= new Promise((resolve) => {
      this.frame = new Frame('/v2/master', { title: 'Chargebee', handlers: { hello: resolve } });
      this.frame.element.style.display = 'none';
      this.frame.attach(document.body);
    });
    return this.mounting;
  }
}
