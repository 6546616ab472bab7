import { brandOf, expiryOf } from './cards.js';
import { Family } from './family.js';
import { CardInput } from './input.js';
import { Link, post, told } from './link.js';
import { dress } from './styles.js';

/** The frame of a card field, or of all three. The one with the number exchanges the card for a token. */

const { group } = document.documentElement.dataset;
const kinds = [...document.querySelectorAll('input')].map((input) => input.id);
const inputs = Object.fromEntries(kinds.map((kind) => [kind, new CardInput(kind, tell)]));
const family = new Family(group, {
  onAsked: () => values(),
  onBrand: (prefix) => inputs.cvv?.learnBrand(brandOf(prefix)),
});
let site;

const link = new Link({
  setup({ site: name, key, options }) {
    site = { site: name, key };
    update({ options });
    kinds.forEach((kind) => inputs[kind].takeUp());
    if (inputs.cvv && !inputs.number) family.askBrand();
    link.send('ready', { height: document.body.scrollHeight });
  },
  update,
  focus: () => inputs[kinds[0]].element.focus(),
  blur: () => document.activeElement?.blur(),
  clear: () => kinds.forEach((kind) => inputs[kind].take('')),
  insist: () => kinds.forEach((kind) => inputs[kind].insist()),
  async submit({ request, needed, path, details }) {
    try {
      link.send('answer', { request, answer: await submit(needed, path, details) });
    } catch (error) {
      link.send('answer', { request, error: told(error) });
    }
  },
});
link.send('hello');

function tell(event, state) {
  if (event === 'change' && state.field === 'number') {
    inputs.cvv?.learnBrand(brandOf(inputs.number.digits));
    family.tellBrand(inputs.number.digits.slice(0, 4));
  }
  link.send('event', { event, state });
}

function update({ options }) {
  dress(options.style);
  document.documentElement.lang = options.locale || 'en';
  for (const kind of kinds) {
    const { element } = inputs[kind];
    element.placeholder = wordFor(options.placeholder, kind) ?? '';
    element.setAttribute('aria-label', wordFor(options.ariaLabel, kind) || element.dataset.label);
  }
}

/** A text that is given for this field, or one of those given for all. */
function wordFor(words, kind) {
  return typeof words === 'string' ? words : words?.[kind];
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
