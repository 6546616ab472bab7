/* Braintree's module "paypal-checkout": loads PayPal's SDK, and exchanges the payer's agreement for a payload. */

const PAYPAL = new URL(document.currentScript.src).origin.replace('//js.braintreegateway', '//www.paypal');

window.braintree = window.braintree ?? {};
window.braintree.paypalCheckout = {
  async create({ client }) {
    const { paypal } = client.getConfiguration();
    const checkout = {
      /** Inject PayPal's SDK. As in the real module the script has no nonce of its own: the page's policy must allow its host. */
      loadPayPalSDK({ dataAttributes = {}, ...query }) {
        const script = document.createElement('script');
        for (const [name, value] of Object.entries(dataAttributes)) script.setAttribute(`data-${name}`, value);
        const parameters = new URLSearchParams({ components: 'buttons', ...query, 'client-id': paypal.braintreeClientId });
        script.src = `${PAYPAL}/sdk/js?${parameters}`;
        return new Promise((resolve, reject) => {
          script.onload = () => resolve(checkout);
          script.onerror = () => reject(new Error("PayPal's script could not be loaded."));
          document.head.prepend(script);
        });
      },
      tokenizePayment: async ({ billingToken }) => ({ nonce: billingToken, type: 'PayPalAccount' }),
    };
    return checkout;
  },
};
