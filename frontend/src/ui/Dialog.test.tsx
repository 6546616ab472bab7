import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import { Dialog } from '@/ui/Dialog';

const onClose = vi.fn();

function opened() {
  render(
    <Dialog open title="Details" footer={<button type="button">Done</button>} onClose={onClose}>
      <p>Some words.</p>
      <a href="/terms">Terms</a>
    </Dialog>,
  );
  return screen.getByRole('dialog', { name: 'Details' });
}

it('closes on a press beside it', async () => {
  await userEvent.click(opened());
  expect(onClose).toHaveBeenCalledOnce();
});

it('stays on a press inside it', async () => {
  opened();
  await userEvent.click(screen.getByText('Some words.'));
  expect(onClose).not.toHaveBeenCalled();
});

it('starts on its first button, whatever links stand before it', () => {
  opened();
  expect(screen.getByRole('button', { name: 'Done' })).toHaveFocus();
});

it('stays where it is open again by the time that a closing is told', () => {
  opened().dispatchEvent(new Event('close'));
  expect(onClose).not.toHaveBeenCalled();
});
