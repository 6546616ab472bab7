const CHALLENGE_TIMEOUT_MS = 5 * 60 * 1000;
const CHALLENGE_STYLE =
  'width:min(30rem,calc(100vw - 2rem));height:min(38rem,calc(100vh - 2rem));padding:0;border:0;border-radius:12px;overflow:hidden';

/** Return the intent after its issuer's challenge, if there is one: a frame above the page, for five minutes at most. */
function awaitChallenge(intent, callbacks) {
  const attempt = intent.active_payment_attempt;
  if (attempt?.status !== 'requires_challenge') return Promise.resolve(intent);
  callbacks.challenge?.(intent);
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

/** Authorize an intent: `request()` begins the attempt, and the challenge and the callbacks follow. */
async function authorizeIntent(intent, request, callbacks) {
  let latest = intent;
  try {
    latest = (await request()).payment_intent;
    latest = await awaitChallenge(latest, callbacks);
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
