import { describeError, Link, post } from './link.js';

/** The hidden frame of the script: it sends requests to this origin for the embedding page. */

const link = new Link({
  async post({ request, path, body }) {
    try {
      link.send('answer', { request, answer: await post(path, body) });
    } catch (error) {
      link.send('answer', { request, error: describeError(error) });
    }
  },
});
link.send('hello');
