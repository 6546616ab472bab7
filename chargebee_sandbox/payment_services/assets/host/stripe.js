/* Stripe.js: shows the issuer's page through hooks.stripe.com, and asks Stripe's API what became of it. */

const STRIPE = new URL(document.currentScript.src).origin;

window.Stripe = () => ({
  async handleCardAction(id) {
    const outcome = await openChallenge(`${STRIPE.replace('//js.', '//hooks.')}/redirect/authenticate/${encodeURIComponent(id)}`);
    if (outcome !== 'ended') return { error: { code: outcome } };
    const answer = await fetch(`${STRIPE.replace('//js.', '//api.')}/v1/payment_intents/${encodeURIComponent(id)}`);
    return { paymentIntent: await answer.json() };
  },
});
