/* A stand-in for Chargebee.js v2: the interface that pages and the provider's own React wrapper use. */

const MESSAGES = {
  notInitialised: 'Chargebee.init has not been called.',
  alreadyInitialised: 'Chargebee has been initialised already.',
  missingSite: 'Chargebee.init needs a site.',
  missingPublishableKey: 'Chargebee.init needs a publishableKey for this.',
  moduleNotLoaded: 'There is no such module, or it was not loaded.',
  invalidComponentType: 'There is no component of this type.',
  invalidFieldType: 'There is no field of this type.',
  fieldAlreadyExists: 'The component has a field of this type already.',
  invalidListener: 'There is no event of this name.',
  invalidSelector: 'The place to mount is neither a selector nor an element.',
  containerElementNotFound: 'There is no element to mount in.',
  componentNotMounted: 'The component is not mounted.',
  missingFields: 'A card needs its number, expiry and cvv.',
  validationFailed: 'The card details are incomplete or invalid.',
  missingPaymentIntent: 'setPaymentIntent has not been called.',
  missingPaymentIntentForMountButton: 'setPaymentIntent has to be called before mountPaymentButton.',
  paymentCancelled: 'The payer cancelled.',
  paymentFailed: 'The payment was not authorised.',
  authentication_cancelled: "The payer left the issuer's page.",
  authentication_timeout: 'The payer did not answer the issuer in time.',
  scriptNotLoaded: 'A script of the payment service could not be loaded.',
  superseded: 'Another payment was begun.',
  unknownError: 'Something went wrong.',
};

/** The error that methods throw and promises reject with. */
class CbError extends Error {
  constructor(code, more = {}) {
    super(more.message || MESSAGES[code] || MESSAGES.unknownError);
    this.name = more.name || code;
    this.code = code;
    this.type = more.type || 'ClientError';
  }
}

function failure(code, more) {
  return Promise.reject(new CbError(code, more));
}
