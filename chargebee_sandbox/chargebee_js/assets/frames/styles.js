/**
 * The style from the embedding page. As the real script does, it keeps what is about the text and drops everything else:
 * a frame has no padding, border, background or outline of the page's choice. A font's size must be in pixels.
 */

const STATES = { base: '', empty: '[data-state~="empty"]', invalid: '[data-state~="invalid"]' };
const PSEUDO = new Set([
  ':hover',
  ':focus',
  ':disabled',
  '::placeholder',
  '::selection',
  ':-webkit-autofill',
  ':focus::placeholder',
]);
const PROPERTIES = {
  color: 'color',
  webkitTextColor: '-webkit-text-fill-color',
  letterSpacing: 'letter-spacing',
  lineHeight: 'line-height',
  textAlign: 'text-align',
  textDecoration: 'text-decoration',
  textShadow: 'text-shadow',
  textTransform: 'text-transform',
  fontFamily: 'font-family',
  fontSize: 'font-size',
  fontSmoothing: '-webkit-font-smoothing',
  fontStyle: 'font-style',
  fontVariant: 'font-variant',
  fontWeight: 'font-weight',
};
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

/** Apply `{base: {color, ':focus': {...}, '::placeholder': {...}}, invalid: {...}, empty: {...}}`. */
export function applyStyle(style = {}) {
  while (sheet.cssRules.length) sheet.deleteRule(0);
  for (const [state, selector] of Object.entries(STATES)) {
    if (style?.[state]) add(`input${selector}`, style[state]);
  }
}

function add(selector, declarations) {
  const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
  for (const [name, value] of Object.entries(declarations)) {
    if (PSEUDO.has(name)) add(selector + name, value);
    else if (isKept(name, value)) rule.style.setProperty(PROPERTIES[name], String(value));
  }
}

function isKept(name, value) {
  return Object.hasOwn(PROPERTIES, name) && (name !== 'fontSize' || /^[\d.]+px$/.test(value));
}
