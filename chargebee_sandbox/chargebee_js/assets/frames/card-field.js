import { brandOf, expiryOf } from './cards.js';
import { Family } from './family.js';
import { CardInput } from './input.js';
import { describeError, Link, post } from './link.js';
import { applyStyle } from './styles.js';

/** The frame of a card field, or of all three. The frame with the number exchanges the card for a token. */

const { group } = document.documentElement.dataset;
const kinds = [...document.querySelectorAll('input')].map((input) => input.id);
const inputs = Object.fromEntries(kinds.map((kind) => [kind, new CardInput(kind, tell)]));
const family = new Family(group, {
  onAsk: () => values(),
  onBrand: (prefix) => inputs.cvv?.setBrand(brandOf(prefix)),
});
let site;

const link = new Link({
  setup({ site: name, key, options }) {
    site = { site: name, key };
    update({ options });
    kinds.forEach((kind) => inputs[kind].syncValue());
    if (inputs.cvv && !inputs.number) family.askBrand();
    link.send('ready');
  },
  update,
  focus: () => inputs[kinds[0]].element.focus(),
  blur: () => document.activeElement?.blur(),
  clear: () => kinds.forEach((kind) => inputs[kind].setDigits('')),
  insist: () => kinds.forEach((kind) => inputs[kind].insist()),
  async submit({ request, needed, path, details }) {
    try {
      link.send('answer', { request, answer: await submit(needed, path, details) });
    } catch (error) {
      link.send('answer', { request, error: describeError(error) });
    }
  },
});
link.send('hello');

function tell(event, state) {
  if (event === 'change' && state.field === 'number') {
    inputs.cvv?.setBrand(brandOf(inputs.number.digits));
    family.sendBrand(inputs.number.digits.slice(0, 4));
  }
  link.send('event', { event, state });
}

function update({ options }) {
  applyStyle(options.style);
  document.documentElement.lang = options.locale || 'en';
  for (const kind of kinds) {
    const { element } = inputs[kind];
    element.placeholder = textFor(options.placeholder, kind) ?? '';
    element.setAttribute('aria-label', textFor(options.ariaLabel, kind) || element.dataset.label);
  }
}

/** Return the text for a field; a string applies to all fields. */
function textFor(texts, kind) {
  return typeof texts === 'string' ? texts : texts?.[kind];
}

function values() {
  return Object.fromEntries(
    kinds.map((kind) => [kind, { digits: inputs[kind].digits, complete: inputs[kind].state().complete }]),
  );
}

async function submit(needed, path, details) {
  const others = needed.filter((kind) => !kinds.includes(kind));
  const card = { ...values(), ...(await family.gather(others)) };
  if (needed.some((kind) => !card[kind].complete)) {
    throw { code: 'validationFailed', message: 'The card details are incomplete or invalid.' };
  }
  const { month, year } = expiryOf(card.expiry.digits);
  const expiry = { expiry_month: String(month), expiry_year: String(year) };
  return post(path, { ...site, card: { number: card.number.digits, cvv: card.cvv.digits, ...expiry }, details });
}
