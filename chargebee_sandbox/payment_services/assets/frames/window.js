/** PayPal's window: it reports the payer's decision to the frame that has opened it, which closes it. */

const OUTCOMES = { authorized: 'approved', cancelled: 'cancelled', failed: 'failed', over: 'failed' };
const outcome = OUTCOMES[document.documentElement.dataset.state];

if (outcome) window.opener?.postMessage({ outcome }, location.origin);
