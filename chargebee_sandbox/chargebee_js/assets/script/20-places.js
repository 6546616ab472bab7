const PROVIDER = new URL(document.currentScript.src).origin;

/** Return the element of a selector (with or without `#`), an id, or an element. */
function elementAt(place) {
  if (place instanceof Element) return place;
  if (typeof place !== 'string' || !place) throw new CbError('invalidSelector');
  const element = document.getElementById(place.replace(/^#/, '')) || query(place);
  if (!element) throw new CbError('containerElementNotFound');
  return element;
}

function query(selector) {
  try {
    return document.querySelector(selector);
  } catch {
    throw new CbError('invalidSelector');
  }
}

/** The listeners of a component or field, for the documented events alone. */
class Listeners {
  constructor() {
    this.byEvent = { ready: [], focus: [], blur: [], change: [], keyPress: [] };
  }

  add(event, listener) {
    if (!Object.hasOwn(this.byEvent, event)) throw new CbError('invalidListener');
    if (typeof listener === 'function') this.byEvent[event].push(listener);
  }

  notify(event, data) {
    for (const listener of this.byEvent[event]) listener(data);
  }

  removeAll() {
    for (const event of Object.keys(this.byEvent)) this.byEvent[event] = [];
  }
}
