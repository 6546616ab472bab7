import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';

import { ConfirmModal } from '@/ui/ConfirmModal';

function Asking({ busy = false, onConfirm = () => undefined, warning = '' }) {
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

async function asked(props: Parameters<typeof Asking>[0] = {}) {
  const user = userEvent.setup();
  render(<Asking {...props} />);
  await user.click(screen.getByRole('button', { name: 'Ask' }));
  return { user, dialog: screen.getByRole('dialog', { name: 'Change your plan' }) };
}

describe('the confirmation modal', () => {
  it('confirms with YES, DOWNGRADE unless told', async () => {
    const onConfirm = vi.fn();
    const { user } = await asked({ onConfirm });
    await user.click(screen.getByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it('starts on the button that changes nothing and gives the focus back', async () => {
    const { user, dialog } = await asked();
    const cancel = screen.getByRole('button', { name: 'NO, CANCEL' });
    expect(cancel).toHaveFocus();
    await user.click(cancel);
    expect(dialog).not.toHaveAttribute('open');
    expect(screen.getByRole('button', { name: 'Ask' })).toHaveFocus();
  });

  it('closes on Escape and not on a press beside it', async () => {
    const { user, dialog } = await asked();
    await user.click(dialog);
    expect(dialog).toHaveAttribute('open');
    await user.keyboard('{Escape}');
    expect(dialog).not.toHaveAttribute('open');
  });

  it('heads its warning with Warning, and has none without one', async () => {
    await asked({ warning: 'You will lose your discount.' });
    expect(screen.getByRole('heading', { name: 'Warning' })).toBeVisible();
    expect(screen.getByText('You will lose your discount.')).toBeVisible();
  });

  it('does nothing more while what was confirmed is under way', async () => {
    const onConfirm = vi.fn();
    const { user, dialog } = await asked({ busy: true, onConfirm });
    await user.click(screen.getByRole('button', { name: 'YES, DOWNGRADE' }));
    await user.keyboard('{Escape}');
    expect(onConfirm).not.toHaveBeenCalled();
    expect(dialog).toHaveAttribute('open');
  });

  it('is back at once where the browser closes it while that is under way', async () => {
    const { dialog } = await asked({ busy: true });
    act(() => (dialog as HTMLDialogElement).close());
    expect(dialog).toHaveAttribute('open');
    expect(screen.getByRole('button', { name: 'NO, CANCEL' })).toHaveFocus();
  });
});
