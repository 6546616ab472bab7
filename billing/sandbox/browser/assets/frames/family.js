/**
 * The frames of one card component. They hold a part of the card each and share an origin that the embedding page does
 * not have: what they tell one another passes by that page.
 */
export class Family {
  /** `kinds` are the fields of this frame; `own(kind)` gives one's value; `onBrand(digits)` hears of the number's. */
  constructor(group, { onAsked, onBrand }) {
    this.channel = new BroadcastChannel(`card-fields-${group}`);
    this.waiting = new Map();
    this.channel.onmessage = ({ data }) => {
      if (data.type === 'ask') this.channel.postMessage({ type: 'answer', ask: data.ask, values: onAsked() });
      if (data.type === 'answer') this.waiting.get(data.ask)?.(data.values);
      if (data.type === 'brand') onBrand(data.prefix);
      if (data.type === 'brand?') this.tellBrand(this.prefix);
    };
  }

  /** Let the others know what the number begins with: enough for its brand, and no more. */
  tellBrand(prefix) {
    this.prefix = prefix;
    if (prefix !== undefined) this.channel.postMessage({ type: 'brand', prefix });
  }

  askBrand() {
    this.channel.postMessage({ type: 'brand?' });
  }

  /** What the others hold of these kinds: `{kind: {digits, complete}}`; fails after two seconds. */
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
      this.waiting.set(ask, (some) => {
        Object.assign(values, some);
        if (kinds.every((kind) => kind in values)) finish(resolve, values);
      });
      this.channel.postMessage({ type: 'ask', ask });
    });
  }
}
