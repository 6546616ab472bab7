import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';

import { Button } from '@/ui/buttons/Button';

// shows: shell-21
it('draws capitals in sentence case and keeps their text', () => {
  render(<Button>CANCEL SUBSCRIPTION(S)</Button>);
  const label = screen.getByText('CANCEL SUBSCRIPTION(S)');
  expect(label).toHaveClass('drawn');
  expect(screen.getByRole('button', { name: 'CANCEL SUBSCRIPTION(S)' })).toContainElement(label);
});

it.each(['Pay $6.99', '$6.99', 'X'])('leaves %s as it is', (label) => {
  render(<Button>{label}</Button>);
  expect(screen.getByText(label)).not.toHaveClass('drawn');
});
