import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import { Dialog } from './Dialog';

const onClose = vi.fn();

function renderDialog() {
  render(
    <Dialog open title="Details" footer={<button type="button">Done</button>} onClose={onClose}>
      <p>Some words.</p>
      <a href="/terms">Terms</a>
    </Dialog>,
  );
  return screen.getByRole('dialog', { name: 'Details' });
}

it('closes on a click outside', async () => {
  await userEvent.click(renderDialog());
  expect(onClose).toHaveBeenCalledOnce();
});

it('stays open on a click inside', async () => {
  renderDialog();
  await userEvent.click(screen.getByText('Some words.'));
  expect(onClose).not.toHaveBeenCalled();
});

it('focuses its first button, even after a link', () => {
  renderDialog();
  expect(screen.getByRole('button', { name: 'Done' })).toHaveFocus();
});

it('ignores a close event if it is open again', () => {
  renderDialog().dispatchEvent(new Event('close'));
  expect(onClose).not.toHaveBeenCalled();
});
