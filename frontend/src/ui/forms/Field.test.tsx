import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { TextField } from './Field';

it('connects label, hint and error to its control', () => {
  render(<TextField label="Name" hint="As on the card" error="Please enter a name." />);
  const input = screen.getByRole('textbox', { name: 'Name' });
  expect(input).toHaveAccessibleDescription('As on the card Please enter a name.');
  expect(input).toBeInvalid();
});
