import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import { Button } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { CardBrandMark } from '@/ui/icons/CardBrandMark';
import { Toggle } from '@/ui/Toggle';

describe('a button', () => {
  it('takes no second press while busy, and keeps the focus', async () => {
    const onClick = vi.fn();
    render(
      <Button busy onClick={onClick}>
        Save
      </Button>,
    );
    const button = screen.getByRole('button', { name: 'Save', busy: true });
    await userEvent.click(button);
    expect(onClick).not.toHaveBeenCalled();
    expect(button).toHaveFocus();
  });

  it('sends no form while busy', async () => {
    const onSubmit = vi.fn();
    render(
      <form onSubmit={onSubmit}>
        <Button type="submit" busy>
          Save
        </Button>
      </form>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onSubmit).not.toHaveBeenCalled();
  });
});

describe('a field', () => {
  it('ties label, hint and error to its control', () => {
    render(<TextField label="Name" hint="As on the card" error="Please enter a name." />);
    const input = screen.getByRole('textbox', { name: 'Name' });
    expect(input).toHaveAccessibleDescription('As on the card Please enter a name.');
    expect(input).toBeInvalid();
  });
});

describe('a toggle', () => {
  it('is a switch', async () => {
    const onChange = vi.fn();
    render(<Toggle id="news" label="News" checked={false} onChange={onChange} />);
    await userEvent.click(screen.getByRole('switch', { name: 'News', checked: false }));
    expect(onChange).toHaveBeenCalledWith(true);
  });

  it('does nothing while disabled', async () => {
    const onChange = vi.fn();
    render(<Toggle id="news" label="News" checked disabled onChange={onChange} />);
    await userEvent.click(screen.getByRole('switch', { name: 'News' }));
    expect(onChange).not.toHaveBeenCalled();
  });
});

describe('a card brand mark', () => {
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
