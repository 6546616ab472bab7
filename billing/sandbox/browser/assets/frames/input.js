import { brandOf, check, digitsOf, fault, shape } from './cards.js';

/** One input of the card: formats what is typed, knows how far it is, and says aloud what is wrong. */
export class CardInput {
  constructor(kind, tell) {
    this.kind = kind;
    this.tell = tell;
    this.digits = '';
    this.brand = brandOf('');
    this.left = false;
    this.element = document.getElementById(kind);
    this.alert = document.getElementById(`${kind}-error`);
    this.element.addEventListener('input', () => this.typed());
    this.element.addEventListener('focus', () => tell('focus', this.state()));
    this.element.addEventListener('blur', () => this.leave());
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') tell('keyPress', { ...this.state(), key });
    });
    this.show();
  }

  typed() {
    const { value, selectionStart } = this.element;
    const before = digitsOf(this.kind, value.slice(0, selectionStart)).length;
    this.take(digitsOf(this.kind, value));
    if (selectionStart < value.length) this.placeCaret(before);
  }

  /** Take what was typed while this script was still on its way. */
  takeUp() {
    if (digitsOf(this.kind, this.element.value) !== this.digits) this.typed();
  }

  take(digits) {
    const { most, show } = shape[this.kind];
    this.digits = digits.slice(0, most(digits, this.brand));
    this.element.value = show(this.digits);
    this.left = false;
    this.tell('change', this.show());
  }

  leave() {
    const before = this.element.dataset.state;
    this.left = this.digits !== '';
    const state = this.show();
    if (this.element.dataset.state !== before) this.tell('change', state);
    this.tell('blur', state);
  }

  /** Show an unfinished field as such, typed into or not. */
  insist() {
    this.left = true;
    this.tell('change', this.show());
  }

  /** The number's brand decides how long the code is. */
  learnBrand(brand) {
    if (brand.name === this.brand.name) return;
    this.brand = brand;
    this.element.maxLength = brand.code;
    if (this.digits) this.take(this.digits);
  }

  state() {
    const { complete, fault: code } = check[this.kind](this.digits, this);
    return {
      field: this.kind,
      complete,
      empty: this.digits === '',
      error: code && fault(code),
      cardType: this.kind === 'number' ? brandOf(this.digits).name : this.brand.name,
    };
  }

  show() {
    const state = this.state();
    const words = { empty: state.empty, complete: state.complete, invalid: Boolean(state.error) };
    this.element.dataset.state = Object.keys(words).filter((word) => words[word]).join(' ');
    this.element.setAttribute('aria-invalid', String(words.invalid));
    const said = state.error?.message ?? '';
    if (this.alert.textContent !== said) this.alert.textContent = said;
    return state;
  }

  placeCaret(digitsBefore) {
    let place = 0;
    for (let seen = 0; seen < digitsBefore && place < this.element.value.length; place += 1) {
      if (/\d/.test(this.element.value[place])) seen += 1;
    }
    this.element.setSelectionRange(place, place);
  }
}
