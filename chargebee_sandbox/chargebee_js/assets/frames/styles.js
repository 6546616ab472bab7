/** The style from the embedding page: plain properties of the input and its states, and nothing that loads a URL. */

const STATES = {
  base: '',
  empty: '[data-state~="empty"]',
  complete: '[data-state~="complete"]',
  invalid: '[data-state~="invalid"]',
};
const PSEUDO = /^::?(placeholder|focus|focus-visible|hover|selection)$/;
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
    if (PSEUDO.test(name) && value instanceof Object) add(selector + name, value);
    else if (!/url|@|image/i.test(String(value))) rule.style.setProperty(hyphenated(name), String(value));
  }
}

function hyphenated(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
