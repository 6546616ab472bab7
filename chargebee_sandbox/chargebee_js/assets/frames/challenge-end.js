import { Link } from './link.js';

/** The end of a challenge: passes the intent to the embedding page, or null if another attempt has replaced this one. */

const { intent } = document.documentElement.dataset;
new Link({}).send('ended', { intent: intent ? JSON.parse(intent) : null });
