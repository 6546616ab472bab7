import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { CardBrandMark } from './CardBrandMark';

describe('a card brand mark', () => {
  // shows: payment-3
  it.each([
    ['VISA', 'Visa'],
    ['MASTERCARD', 'Mastercard'],
    ['mastercard', 'Mastercard'],
    ['AMERICAN_EXPRESS', 'Amex'],
    ['DINERS_CLUB', 'Diners Club'],
    ['DISCOVER', 'Discover'],
    ['JCB', 'JCB'],
    ['paypal', 'PayPal'],
    ['something new', 'Card'],
    ['constructor', 'Card'],
    [null, 'Card'],
  ])('for %s is named %s', (brand, name) => {
    render(<CardBrandMark brand={brand} />);
    expect(screen.getByRole('img', { name })).toBeVisible();
  });
});
