import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';

import { useFocusIfLost } from './lostFocus';

function List({ loaded }: { loaded: boolean }) {
  const [more, setMore] = useState(true);
  const heading = useFocusIfLost<HTMLHeadingElement>(`${loaded} ${more}`);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        Activity
      </h2>
      {loaded && more && (
        <button type="button" onClick={() => setMore(false)}>
          Show all
        </button>
      )}
    </>
  );
}

it('does not move the focus while a new page loads', () => {
  // Nothing is focused, and what was last is still there.
  fireEvent.focusIn(document.body);
  const { rerender } = render(<List loaded={false} />);
  rerender(<List loaded />);
  expect(screen.getByRole('button')).toBeInTheDocument();
  expect(document.body).toHaveFocus();
});

it('takes the focus of a removed button', async () => {
  render(<List loaded />);
  await userEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(screen.getByRole('heading')).toHaveFocus();
});
