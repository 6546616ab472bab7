/* A merchant's page: the calls that the provider's React wrapper makes, in its order, without React. */
'use strict';

const { provider, nonce, flags } = document.body.dataset;
const root = document.getElementById('root');
const told = (window.told = []);
const KINDS = ['number', 'expiry', 'cvv'];
let card;

function note(place) {
  return (event) => told.push(event.field ? { place, ...event } : { place, type: 'ready' });
}

function mountCard() {
  const places = KINDS.map((kind) => `<div id="card-${kind}-1"></div>`).join('');
  root.innerHTML = `<div id="card">${flags.includes('combined') ? '' : places}</div><button id="pay">Pay</button><output></output>`;
  document.getElementById('pay').onclick = pay;
  const text = { color: 'rgb(1, 2, 3)', fontSize: '18px', textAlign: 'right', letterSpacing: '1px' };
  const box = { padding: '10px', outline: '1px solid', background: 'rgb(9, 9, 9)', ':focus': { outline: '2px solid' } };
  const style = { base: { ...text, ...box, '::placeholder': { color: 'rgb(4, 5, 6)' } }, invalid: { color: 'rgb(200, 0, 0)' } };
  const ariaLabel = { number: 'Number of the card', expiry: undefined };
  card = window.Chargebee.getInstance().createComponent('card', { style, ariaLabel, classes: { focus: 'has-focus' }, fonts: undefined, locale: undefined });
  for (const event of ['ready', 'blur', 'focus', 'change', 'keyPress']) card.on(event, note('component'));
  if (!flags.includes('combined')) createFields();
  if (card.status === 0) card.mount(document.getElementById('card'));
}

function createFields() {
  window.fields = KINDS.map((kind) => {
    const field = card.createField(kind, { icon: undefined, style: undefined, placeholder: `a ${kind}`, ariaLabel: undefined }).at(`#card-${kind}-1`);
    for (const event of ['blur', 'focus', 'ready', 'change']) field.on(event, note(kind));
    return field;
  });
}

/* What StrictMode does: the fields go and come again while the component stays. */
window.remountFields = () => {
  for (const field of window.fields) field.destroy();
  createFields();
};

window.unmountCard = () => {
  card.destroy();
  for (const field of window.fields) field.destroy();
  root.innerHTML = '';
};

window.mountCard = mountCard;

window.restyle = (style) => void card.update({ style });

function say(words) {
  root.querySelector('output').textContent = words;
}

function pay() {
  const owner = { firstName: 'Ava', lastName: 'Thompson', zip: '37203', stateCode: 'TN' };
  card.tokenize(owner).then(
    ({ token, vaultToken }) => say(`${token} ${vaultToken}`),
    (error) => say(`${error.type} ${error.code}: ${error.message}`),
  );
}

function reportAuthorization(authorize) {
  const tell = (type) => (intent, error) => told.push({ type, status: intent.status, name: error?.name });
  return authorize({ success: tell('success'), error: tell('error'), challenge: tell('challenge') }).then(
    (intent) => say(intent.status),
    (error) => say(`${error.name}: ${error.message}`),
  );
}

window.authorizeCard = (id) => reportAuthorization((callbacks) => card.authorizeWith3ds({ id }, {}, callbacks));

window.authorizeStoredCard = async (id) => {
  const handler = await window.Chargebee.getInstance().load3DSHandler();
  handler.setPaymentIntent({ id });
  return reportAuthorization((callbacks) => handler.handleCardPayment({}, callbacks));
};

window.mountPayPal = async (id) => {
  root.innerHTML = '<div id="paypal-button"></div><output></output>';
  const handler = await window.Chargebee.getInstance().load('paypal');
  handler.setPaymentIntent({ id });
  try {
    await handler.mountPaymentButton('#paypal-button', { style: { height: 44, label: 'paypal' } });
  } catch (error) {
    return say(`${error.code}: ${error.message}`);
  }
  window.payAgain = () => void handler.handlePayment({
    click: () => told.push({ type: 'click' }),
    cancel: () => told.push({ type: 'cancel' }),
    success: (intent) => told.push({ type: 'success', intent }),
    error: (intent, error) => told.push({ type: 'error', intent, message: error.message }),
  }).then((intent) => say(intent.status), (error) => say(`${error.code}: ${error.message}`));
  window.payAgain();
};

const script = document.createElement('script');
script.src = `${provider}/v2/chargebee.js`;
script.onerror = () => root.append('The card form could not be loaded.');
script.onload = () => {
  const publishableKey = flags.includes('foreign-key') ? 'another' : 'test_sandbox_publishable_key';
  window.Chargebee.init({ site: 'portal-test', publishableKey, cspNonce: nonce });
  if (!flags.includes('paypal')) mountCard();
};
document.head.append(script);
