import { brandOf, check, digitsOf, fault, shape } from './cards.js';

/** An input of the card: formats and checks what is typed, and announces errors to screen readers. */
export class CardInput {
  constructor(kind, tell) {
    this.kind = kind;
    this.tell = tell;
    this.digits = '';
    this.brand = brandOf('');
    this.left = false;
    this.element = document.getElementById(kind);
    this.alert = document.getElementById(`${kind}-error`);
    this.element.addEventListener('input', () => this.handleInput());
    this.element.addEventListener('focus', () => tell('focus', this.state()));
    this.element.addEventListener('blur', () => this.handleBlur());
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') tell('keyPress', { ...this.state(), key });
    });
    this.show();
  }

  handleInput() {
    const { value, selectionStart } = this.element;
    const before = digitsOf(this.kind, value.slice(0, selectionStart)).length;
    this.setDigits(digitsOf(this.kind, value));
    if (selectionStart < value.length) this.placeCaret(before);
  }

  /** Read what was typed while this script was loading. */
  syncValue() {
    if (digitsOf(this.kind, this.element.value) !== this.digits) this.handleInput();
  }

  setDigits(digits) {
    const { most, show } = shape[this.kind];
    this.digits = digits.slice(0, most(digits, this.brand));
    this.element.value = show(this.digits);
    this.left = false;
    this.tell('change', this.show());
  }

  handleBlur() {
    const before = this.element.dataset.state;
    this.left = this.digits !== '';
    const state = this.show();
    if (this.element.dataset.state !== before) this.tell('change', state);
    this.tell('blur', state);
  }

  /** Show the error of an incomplete field, even an empty one. */
  insist() {
    this.left = true;
    this.tell('change', this.show());
  }

  /** Set the brand of the number, which decides the length of the code. */
  setBrand(brand) {
    if (brand.name === this.brand.name) return;
    this.brand = brand;
    this.element.maxLength = brand.code;
    if (this.digits) this.setDigits(this.digits);
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
    const message = state.error?.message ?? '';
    if (this.alert.textContent !== message) this.alert.textContent = message;
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
