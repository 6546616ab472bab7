/**
 * The frames of a card component. Each holds a part of the card; their messages to each other use their own origin,
 * which the embedding page does not share.
 */
export class Family {
  /** `onAsk()` returns the values of this frame; `onBrand(prefix)` receives the first digits of the number. */
  constructor(group, { onAsk, onBrand }) {
    this.channel = new BroadcastChannel(`card-fields-${group}`);
    this.waiting = new Map();
    this.channel.onmessage = ({ data }) => {
      if (data.type === 'ask') this.channel.postMessage({ type: 'answer', ask: data.ask, values: onAsk() });
      if (data.type === 'answer') this.waiting.get(data.ask)?.(data.values);
      if (data.type === 'brand') onBrand(data.prefix);
      if (data.type === 'brand?') this.sendBrand(this.prefix);
    };
  }

  /** Send the first digits of the number to the other frames: enough for the brand, and no more. */
  sendBrand(prefix) {
    this.prefix = prefix;
    if (prefix !== undefined) this.channel.postMessage({ type: 'brand', prefix });
  }

  askBrand() {
    this.channel.postMessage({ type: 'brand?' });
  }

  /** Return the values of the other frames, `{kind: {digits, complete}}`; fails after two seconds. */
  gather(kinds) {
    if (!kinds.length) return Promise.resolve({});
    const ask = crypto.getRandomValues(new Uint32Array(2)).join('-');
    return new Promise((resolve, reject) => {
      const values = {};
      const timer = setTimeout(() => finish(reject, new Error('A card field does not answer.')), 2000);
      const finish = (settle, outcome) => {
        clearTimeout(timer);
        this.waiting.delete(ask);
        settle(outcome);
      };
      this.waiting.set(ask, (received) => {
        Object.assign(values, received);
        if (kinds.every((kind) => kind in values)) finish(resolve, values);
      });
      this.channel.postMessage({ type: 'ask', ask });
    });
  }
}
