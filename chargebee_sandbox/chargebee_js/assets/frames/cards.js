/** The format and the validation of card numbers, expiry dates, and security codes. */

const BRANDS = [
  { name: 'visa', prefix: /^4/, length: 16, code: 3, groups: [4, 4, 4, 4] },
  {
    name: 'mastercard',
    prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    length: 16,
    code: 3,
    groups: [4, 4, 4, 4],
  },
  { name: 'american_express', prefix: /^3[47]/, length: 15, code: 4, groups: [4, 6, 5] },
  { name: 'diners_club', prefix: /^(30[0-5]|3[689])/, length: 14, code: 3, groups: [4, 6, 4] },
  { name: 'discover', prefix: /^(6011|64[4-9]|65)/, length: 16, code: 3, groups: [4, 4, 4, 4] },
  { name: 'jcb', prefix: /^(352[89]|35[3-8])/, length: 16, code: 3, groups: [4, 4, 4, 4] },
];
const OTHER = { name: 'other', length: 19, least: 12, code: 4, leastCode: 3, groups: [4, 4, 4, 4, 3] };

const FAULTS = {
  cardNumberIncomplete: 'Your card number is incomplete.',
  cardNumberInvalid: 'Your card number is invalid.',
  cardExpiryIncomplete: "Your card's expiry date is incomplete.",
  cardExpiryInvalid: "Your card's expiry date is invalid.",
  cardExpiryPast: "Your card's expiry date is in the past.",
  cardCvvIncomplete: "Your card's security code is incomplete.",
};

/** Return an error for events, with its code under every name that listeners may use. */
export function fault(code) {
  return { errorCode: code, code, name: code, message: FAULTS[code] };
}

/** Return the brand of a number by its first digits. */
export function brandOf(digits) {
  return BRANDS.find((brand) => brand.prefix.test(digits)) ?? OTHER;
}

/** Return digits in groups as on the card. */
export function grouped(digits) {
  const groups = [];
  let rest = digits;
  for (const size of brandOf(digits).groups) {
    if (rest) groups.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return groups.join(' ');
}

/** Return an expiry date as `MM / YY`; a first digit above 1 is a month by itself. */
export function slashed(digits) {
  const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  return whole.length > 2 ? `${whole.slice(0, 2)} / ${whole.slice(2, 4)}` : whole;
}

/** Return month and year of `MMYY`. */
export function expiryOf(digits) {
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

/**
 * Check a field: `{complete, fault}`, where the fault is a code or undefined. An incomplete field is a fault only
 * once the payer has left it (`left`).
 */
export const check = {
  number(digits, { left }) {
    const brand = brandOf(digits);
    if (digits.length < (brand.least ?? brand.length)) return unfinished('cardNumberIncomplete', left);
    return luhn(digits) ? { complete: true } : { complete: false, fault: 'cardNumberInvalid' };
  },
  expiry(digits, { left }) {
    const { month, year } = expiryOf(digits);
    if (digits.length >= 2 && (month < 1 || month > 12)) return { complete: false, fault: 'cardExpiryInvalid' };
    if (digits.length < 4) return unfinished('cardExpiryIncomplete', left);
    // The real date: cards do not travel through time with the sandbox's clock.
    const today = new Date();
    const past = year * 12 + month < today.getFullYear() * 12 + today.getMonth() + 1;
    return past ? { complete: false, fault: 'cardExpiryPast' } : { complete: true };
  },
  cvv(digits, { left, brand }) {
    const least = brand.leastCode ?? brand.code;
    return digits.length < least ? unfinished('cardCvvIncomplete', left) : { complete: true };
  },
};

/** The maximum number of digits of a field, and how it shows them. */
export const shape = {
  number: { most: (digits) => brandOf(digits).length, show: grouped },
  expiry: { most: () => 4, show: slashed },
  cvv: { most: (_digits, brand) => brand.code, show: (digits) => digits },
};

/** Return the digits of a text; an expiry date may be typed as `8/27`, `08/2027`, or `0827`. */
export function digitsOf(kind, text) {
  if (kind !== 'expiry') return text.replace(/\D/g, '');
  const [, month, year] = /^\s*(\d{1,2})\s*[/-]\s*(\d*)/.exec(text) ?? [];
  if (month === undefined) return padded(text.replace(/\D/g, ''));
  return month.padStart(2, '0') + (year.length === 4 ? year.slice(2) : year);
}

function padded(digits) {
  const century = /^\d{2}20\d{2}$/.test(digits) ? digits.slice(0, 2) + digits.slice(4) : digits;
  return /^[2-9]/.test(century) ? `0${century}` : century;
}

function unfinished(code, left) {
  return { complete: false, fault: left ? code : undefined };
}

function luhn(digits) {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]) * (1 + (place % 2));
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
