import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LoaderOverlay } from './LoaderOverlay';

// shows: routes-5
it('labels the overlay Loading, also with a message', () => {
  render(<LoaderOverlay message="We are confirming." />);
  expect(screen.getByRole('status', { name: 'Loading' })).toHaveTextContent('We are confirming.');
});
