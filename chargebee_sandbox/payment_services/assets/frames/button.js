/**
 * The frame of PayPal's button. A click opens PayPal's window at once, or the browser would block it; the token follows.
 * The window reports to the frame that has opened it, so the merchant's page must not sever the two.
 */

const POLL_MS = 300;
const { parent: host, origin } = { parent: document.documentElement.dataset.parent, origin: location.origin };
const button = document.getElementById('pay');
let opened;

button.addEventListener('click', () => {
  opened?.close();
  opened = window.open('/checkoutnow', 'paypal', 'popup,width=480,height=640');
  if (!opened) return tell('blocked');
  tell('click');
  watch(opened);
});

window.addEventListener('message', ({ source, origin: sender, data }) => {
  if (source === window.parent && sender === host) handleHost(data);
  if (opened && source === opened && sender === origin) end(data.outcome);
});

tell('ready');

function tell(type, data = {}) {
  window.parent.postMessage({ type, ...data }, host);
}

function handleHost({ type, token }) {
  if (type === 'token' && opened) opened.location = `/checkoutnow?${new URLSearchParams({ token })}`;
  if (type === 'close') opened?.close();
}

/** Notice when the payer closes the window without a decision. */
async function watch(current) {
  while (opened === current) {
    if (current.closed) return end('cancelled');
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}

function end(outcome) {
  opened?.close();
  opened = undefined;
  tell('ended', { outcome });
}
