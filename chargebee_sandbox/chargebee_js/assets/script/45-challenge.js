const CHALLENGE_TIMEOUT_MS = 5 * 60 * 1000;
const CHALLENGE_STYLE =
  'width:min(30rem,calc(100vw - 2rem));height:min(38rem,calc(100vh - 2rem));margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden';

/** Show the issuer's challenge in a frame of the provider's, for gateways without scripts of their own. Returns the intent. */
function showChallenge({ active_payment_attempt: attempt }) {
  const dialog = document.createElement('dialog');
  dialog.style.cssText = CHALLENGE_STYLE;
  dialog.setAttribute('aria-label', 'Bank authentication');
  return new Promise((resolve, reject) => {
    const frame = new Frame(`/v2/challenges/${encodeURIComponent(attempt.id)}`, {
      title: 'Bank authentication',
      handlers: { ended: ({ intent: ended }) => finish(() => (ended ? resolve(ended) : reject(new CbError('superseded')))) },
    });
    const finish = (settle) => {
      clearTimeout(timer);
      frame.detach();
      // Closing gives the focus back.
      dialog.close();
      dialog.remove();
      settle();
    };
    const fail = (name) => finish(() => reject(new CbError('paymentFailed', { name, message: MESSAGES[name] })));
    const timer = setTimeout(() => fail('authentication_timeout'), CHALLENGE_TIMEOUT_MS);
    dialog.addEventListener('cancel', () => fail('authentication_cancelled'));
    frame.element.allow = 'payment *; publickey-credentials-get *';
    frame.element.style.height = '100%';
    document.body.append(dialog);
    frame.attach(dialog);
    dialog.showModal();
  });
}

/**
 * Authorize an intent: the scripts of its gateway come first, `request()` begins the attempt, and the challenge, which
 * takes five minutes at most, and the callbacks follow.
 */
async function authorizeIntent({ master, options }, intent, request, callbacks) {
  const read = async () => (await master.request(intentPath(intent))).payment_intent;
  let latest = intent;
  try {
    latest = await read();
    const authenticate = await loadAuthentication(latest, options.cspNonce);
    latest = (await request()).payment_intent;
    if (latest.active_payment_attempt?.status === 'requires_challenge') {
      callbacks.challenge?.(latest);
      latest = authenticate ? await awaitGateway(authenticate, latest, read) : await showChallenge(latest);
    }
  } catch (error) {
    callbacks.error?.(latest, error);
    throw error;
  }
  return settlePayment(latest, callbacks);
}

/** Report how a payment ended: return the authorized intent, or throw. */
function settlePayment(intent, callbacks) {
  callbacks.change?.(intent);
  if (intent.status === 'authorized') {
    callbacks.success?.(intent);
    return intent;
  }
  const { error_code: name, error_text: message } = intent.active_payment_attempt ?? {};
  const error = new CbError('paymentFailed', { type: 'GatewayError', name, message });
  callbacks.error?.(intent, error);
  throw error;
}
