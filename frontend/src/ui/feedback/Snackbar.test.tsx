import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { Snackbar } from './Snackbar';

beforeEach(() => vi.useFakeTimers());

const onHide = vi.fn();

function renderSnackbar(props: Partial<Parameters<typeof Snackbar>[0]> = {}) {
  const all = {
    visible: true,
    content: 'Saved.',
    severity: 'success' as const,
    sequence: 1,
    onHide,
    ...props,
  };
  return render(<Snackbar {...all} />);
}

const advanceTime = (ms: number) => act(() => vi.advanceTimersByTime(ms));

describe('the snackbar', () => {
  // shows: shell-16
  it.each([
    ['success', 'status'],
    ['warning', 'status'],
    ['error', 'alert'],
  ] as const)('announces a %s as %s', (severity, role) => {
    renderSnackbar({ severity });
    expect(screen.getByRole(role)).toHaveTextContent('Saved.');
  });

  // shows: shell-16
  it('hides after ten seconds', () => {
    renderSnackbar();
    advanceTime(9_999);
    expect(onHide).not.toHaveBeenCalled();
    advanceTime(1);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('gives a new message ten seconds of its own', () => {
    const { rerender } = renderSnackbar();
    advanceTime(9_000);
    rerender(
      <Snackbar visible content="Saved again." severity="success" sequence={2} onHide={onHide} />,
    );
    advanceTime(9_000);
    expect(onHide).not.toHaveBeenCalled();
  });

  it('returns the focus when it is dismissed', () => {
    render(
      <>
        <button type="button">Save</button>
        <Snackbar visible content="Saved." severity="success" sequence={1} onHide={onHide} />
      </>,
    );
    screen.getByRole('button', { name: 'Save' }).focus();
    const dismiss = screen.getByRole('button', { name: 'Dismiss message' });
    act(() => dismiss.focus());
    fireEvent.click(dismiss);
    expect(onHide).toHaveBeenCalledOnce();
    expect(screen.getByRole('button', { name: 'Save' })).toHaveFocus();
  });

  it('stays while hovered', () => {
    renderSnackbar();
    fireEvent.mouseEnter(screen.getByText('Saved.'));
    advanceTime(60_000);
    expect(onHide).not.toHaveBeenCalled();
    fireEvent.mouseLeave(screen.getByText('Saved.'));
    advanceTime(10_000);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('stays while focused', () => {
    renderSnackbar();
    const dismiss = screen.getByRole('button', { name: 'Dismiss message' });
    act(() => dismiss.focus());
    advanceTime(60_000);
    expect(onHide).not.toHaveBeenCalled();
    act(() => dismiss.blur());
    advanceTime(10_000);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('can be dismissed', () => {
    renderSnackbar();
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss message' }));
    expect(onHide).toHaveBeenCalledOnce();
  });
});
