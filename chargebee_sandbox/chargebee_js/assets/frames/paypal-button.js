import { describeError, Link, post } from './link.js';

/**
 * The frame of PayPal's button. An attempt begins before the click, so that the click itself can open the window. Its
 * outcome is polled from the server, because the embedding page may sever the link between the two windows.
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
      pollOutcome(attempt);
    } catch (error) {
      link.send('ended', { outcome: 'failed', error: describeError(error) });
    }
  },
  focus: () => button.focus(),
});

button.addEventListener('click', () => {
  link.send('click');
  window.open(`/v2/paypal/${attempt}`, `paypal-${attempt}`, 'popup,width=480,height=640');
});
link.send('hello');

async function pollOutcome(current) {
  while (attempt === current) {
    const { outcome, payment_intent } = await readOutcome(current);
    if (outcome !== 'pending') return finishAttempt(current, outcome, payment_intent);
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}

async function readOutcome(current) {
  try {
    return await (await fetch(`/v2/paypal/${current}/outcome`)).json();
  } catch {
    return { outcome: 'pending' };
  }
}

function finishAttempt(current, outcome, intent) {
  if (attempt !== current) return;
  attempt = undefined;
  button.disabled = true;
  link.send('ended', { outcome, intent });
}
