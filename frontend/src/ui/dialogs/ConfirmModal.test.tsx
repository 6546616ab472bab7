import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';

import { ConfirmModal } from './ConfirmModal';

function TestDialog({ busy = false, onConfirm = () => undefined, warning = '' }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Ask
      </button>
      <ConfirmModal
        open={open}
        title="Change your plan"
        message="Are you sure?"
        warningContent={warning}
        busy={busy}
        onConfirm={onConfirm}
        onCancel={() => setOpen(false)}
      />
    </>
  );
}

async function openDialog(props: Parameters<typeof TestDialog>[0] = {}) {
  const user = userEvent.setup();
  render(<TestDialog {...props} />);
  await user.click(screen.getByRole('button', { name: 'Ask' }));
  return { user, dialog: screen.getByRole('dialog', { name: 'Change your plan' }) };
}

describe('the confirmation modal', () => {
  // shows: shell-13
  it('confirms with YES, DOWNGRADE by default', async () => {
    const onConfirm = vi.fn();
    const { user } = await openDialog({ onConfirm });
    await user.click(screen.getByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  // shows: shell-13
  it('focuses the cancel button and returns the focus', async () => {
    const { user, dialog } = await openDialog();
    const cancel = screen.getByRole('button', { name: 'NO, CANCEL' });
    expect(cancel).toHaveFocus();
    await user.click(cancel);
    expect(dialog).not.toHaveAttribute('open');
    expect(screen.getByRole('button', { name: 'Ask' })).toHaveFocus();
  });

  // shows: shell-11
  it('closes on Escape but not on a click outside', async () => {
    const { user, dialog } = await openDialog();
    await user.click(dialog);
    expect(dialog).toHaveAttribute('open');
    await user.keyboard('{Escape}');
    expect(dialog).not.toHaveAttribute('open');
  });

  // shows: shell-12
  it('shows its warning under the heading Warning', async () => {
    await openDialog({ warning: 'You will lose your discount.' });
    expect(screen.getByRole('heading', { name: 'Warning' })).toBeVisible();
    expect(screen.getByText('You will lose your discount.')).toBeVisible();
  });

  it('ignores input while the confirmed action is running', async () => {
    const onConfirm = vi.fn();
    const { user, dialog } = await openDialog({ busy: true, onConfirm });
    await user.click(screen.getByRole('button', { name: 'YES, DOWNGRADE' }));
    await user.keyboard('{Escape}');
    expect(onConfirm).not.toHaveBeenCalled();
    expect(dialog).toHaveAttribute('open');
  });

  it('reopens if the browser closes it while the action is running', async () => {
    const { dialog } = await openDialog({ busy: true });
    act(() => (dialog as HTMLDialogElement).close());
    expect(dialog).toHaveAttribute('open');
    expect(screen.getByRole('button', { name: 'NO, CANCEL' })).toHaveFocus();
  });
});
