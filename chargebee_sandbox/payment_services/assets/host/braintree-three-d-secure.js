/* Braintree's module "three-d-secure": loads Cardinal's script, which shows the issuer's page. */

const CARDINAL = new URL(document.currentScript.src).origin.replace('//js.braintreegateway', '//songbird.cardinalcommerce');

/** Inject Cardinal's script. As in the real module it has no nonce: the page's policy must allow its host. */
function loadSongbird() {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${CARDINAL}/edge/v1/songbird.js`;
    script.onload = resolve;
    script.onerror = () => reject(new Error("Cardinal's script could not be loaded."));
    document.head.append(script);
  });
}

window.braintree = window.braintree ?? {};
window.braintree.threeDSecure = {
  async create() {
    if (!window.Cardinal) await loadSongbird();
    await window.Cardinal.setup();
    return { verifyCard: async ({ nonce }) => ({ status: await window.Cardinal.continue(nonce) }) };
  },
};
