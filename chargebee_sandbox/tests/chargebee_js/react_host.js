/* A merchant's page with the provider's own React wrapper, unmodified. */
import { CardComponent, CardCVV, CardExpiry, CardNumber, Provider } from '@chargebee/chargebee-js-react-wrapper';
import { createElement, StrictMode, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

const { provider, flags } = document.body.dataset;
const told = (window.told = []);
const note = (place) => (event) => told.push(event.field ? { place, ...event } : { place, type: 'ready' });
const STYLES = { base: { color: 'rgb(1, 2, 3)' } };

function Card({ card }) {
  const field = (kind, Field) =>
    createElement(Field, { key: kind, placeholder: `a ${kind}`, onReady: note(kind), onChange: note(kind) });
  const fields = [field('number', CardNumber), field('expiry', CardExpiry), field('cvv', CardCVV)];
  const component = { ref: card, styles: STYLES, onReady: note('component'), onChange: note('component') };
  const inside = createElement(CardComponent, component, fields);
  return createElement(Provider, { cbInstance: window.Chargebee.getInstance() }, inside);
}

function Page() {
  const card = useRef(null);
  const [shown, setShown] = useState(true);
  const [said, setSaid] = useState('');
  const pay = () =>
    card.current.tokenize({ firstName: 'Ava' }).then(
      ({ token }) => setSaid(token),
      (error) => setSaid(`${error.code}: ${error.message}`),
    );
  const toggle = () => {
    setShown(!shown);
    setSaid('');
  };
  return createElement(
    'div',
    null,
    shown && createElement(Card, { card }),
    createElement('button', { onClick: pay }, 'Pay'),
    createElement('button', { onClick: toggle }, 'Toggle'),
    createElement('output', null, said),
  );
}

const script = document.createElement('script');
script.src = `${provider}/v2/chargebee.js`;
script.onload = () => {
  window.Chargebee.init({ site: 'portal-test', publishableKey: 'test_sandbox_publishable_key' });
  const page = createElement(Page);
  const strict = flags.includes('strict') ? createElement(StrictMode, null, page) : page;
  createRoot(document.getElementById('root')).render(strict);
};
document.head.append(script);
