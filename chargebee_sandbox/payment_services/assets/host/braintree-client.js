/* Braintree's module "client": reads the merchant's configuration from Braintree's API. */

const API = new URL(document.currentScript.src).origin.replace('//js.', '//api.');

window.braintree = window.braintree ?? {};
window.braintree.client = {
  async create({ authorization }) {
    const answer = await fetch(`${API}/merchants/${encodeURIComponent(authorization)}/client_api/v1/configuration`);
    const configuration = await answer.json();
    return { getConfiguration: () => configuration };
  },
};
