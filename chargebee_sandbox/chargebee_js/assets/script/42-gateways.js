/**
 * 3-D Secure with the scripts of a gateway, which this script adds to the page that embeds it. Each loads them and returns
 * a function that lets the issuer challenge the payer of an attempt, and resolves to how that ended: `ended`, `cancelled`
 * or `timeout`.
 */
const GATEWAY_AUTHENTICATIONS = {
  /** Stripe: https://js.stripe.com/v3/ */
  async stripe(intent, cspNonce) {
    await injectScript(`${serviceOrigin('js.stripe')}/v3/`, cspNonce);
    const stripe = window.Stripe(intent.gateway_account_id);
    return async ({ id }) => {
      const { error } = await stripe.handleCardAction(id);
      return error?.code ?? 'ended';
    };
  },

  /** Braintree: its client and three-d-secure modules, the second of which loads Cardinal's script. */
  async braintree(intent, cspNonce) {
    const modules = `${serviceOrigin('js.braintreegateway')}/web/3.136.0/js`;
    await injectScript(`${modules}/client.min.js`, cspNonce);
    await injectScript(`${modules}/three-d-secure.min.js`, cspNonce);
    const client = await window.braintree.client.create({ authorization: intent.gateway_account_id });
    const secure = await window.braintree.threeDSecure.create({ client, version: 2 });
    return async ({ id }) => (await secure.verifyCard({ nonce: id })).status;
  },
};

/** Return the challenge of an intent's gateway, or undefined for a gateway without scripts. */
async function loadAuthentication(intent, cspNonce) {
  try {
    return await GATEWAY_AUTHENTICATIONS[intent.gateway]?.(intent, cspNonce);
  } catch {
    throw new CbError('scriptNotLoaded');
  }
}

/** Let the gateway's script show a challenge; what became of the attempt is the provider's answer, not the script's. */
async function awaitGateway(authenticate, { active_payment_attempt: attempt }, read) {
  const outcome = await authenticate(attempt);
  const name = { cancelled: 'authentication_cancelled', timeout: 'authentication_timeout' }[outcome];
  if (name) throw new CbError('paymentFailed', { name, message: MESSAGES[name] });
  const latest = await read();
  if (latest.active_payment_attempt?.id !== attempt.id) throw new CbError('superseded');
  return latest;
}

function intentPath({ id }) {
  return `/v2/payment_intents/${encodeURIComponent(id)}`;
}
