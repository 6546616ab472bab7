import { Link, post, told } from './link.js';

/**
 * The frame of PayPal's button. An attempt is begun before the click, so that the click itself opens the window, and
 * how it ended is asked of the server: the embedding page may have cut the tie between the two windows.
 */

const POLL_MS = 300;
const button = document.getElementById('pay');
let attempt;

const link = new Link({
  setup({ options }) {
    if (options.height) button.style.height = `${Number(options.height)}px`;
    link.send('ready', { height: document.body.scrollHeight });
  },
  async begin({ site, key, intent }) {
    attempt = undefined;
    try {
      const begun = await post(`/v2/payment_intents/${encodeURIComponent(intent)}/paypal`, { site, key });
      attempt = begun.attempt;
      button.disabled = false;
      watch(attempt);
    } catch (error) {
      link.send('ended', { outcome: 'failed', error: told(error) });
    }
  },
  focus: () => button.focus(),
});

button.addEventListener('click', () => {
  link.send('click');
  window.open(`/v2/paypal/${attempt}`, `paypal-${attempt}`, 'popup,width=480,height=640');
});
link.send('hello');

async function watch(mine) {
  while (attempt === mine) {
    const { outcome, payment_intent } = await look(mine);
    if (outcome !== 'pending') return end(mine, outcome, payment_intent);
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}

async function look(mine) {
  try {
    return await (await fetch(`/v2/paypal/${mine}/outcome`)).json();
  } catch {
    return { outcome: 'pending' };
  }
}

function end(mine, outcome, intent) {
  if (attempt !== mine) return;
  attempt = undefined;
  button.disabled = true;
  link.send('ended', { outcome, intent });
}
