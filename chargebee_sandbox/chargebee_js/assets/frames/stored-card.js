import { describeError, Link, post } from './link.js';

/** The invisible frame that authorizes an intent with the stored card for which it was created. */

const link = new Link({
  async authorize({ request, site, key, intent }) {
    try {
      const path = `/v2/payment_intents/${encodeURIComponent(intent)}/stored-card`;
      link.send('answer', { request, answer: await post(path, { site, key }) });
    } catch (error) {
      link.send('answer', { request, error: describeError(error) });
    }
  },
});
link.send('hello');
