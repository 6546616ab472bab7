import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Snackbar } from '@/ui/Snackbar';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const onHide = vi.fn();

function shown(props: Partial<Parameters<typeof Snackbar>[0]> = {}) {
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

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));

describe('the snackbar', () => {
  it.each([
    ['success', 'status'],
    ['warning', 'status'],
    ['error', 'alert'],
  ] as const)('says a %s as %s', (severity, role) => {
    shown({ severity });
    expect(screen.getByRole(role)).toHaveTextContent('Saved.');
  });

  it('hides after ten seconds', () => {
    shown();
    wait(9_999);
    expect(onHide).not.toHaveBeenCalled();
    wait(1);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('gives a new message ten seconds of its own', () => {
    const { rerender } = shown();
    wait(9_000);
    rerender(
      <Snackbar visible content="Saved again." severity="success" sequence={2} onHide={onHide} />,
    );
    wait(9_000);
    expect(onHide).not.toHaveBeenCalled();
  });

  it('stays while it is pointed at', () => {
    shown();
    fireEvent.mouseEnter(screen.getByText('Saved.'));
    wait(60_000);
    expect(onHide).not.toHaveBeenCalled();
    fireEvent.mouseLeave(screen.getByText('Saved.'));
    wait(10_000);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('stays while it has the focus', () => {
    shown();
    const dismiss = screen.getByRole('button', { name: 'Dismiss message' });
    act(() => dismiss.focus());
    wait(60_000);
    expect(onHide).not.toHaveBeenCalled();
    act(() => dismiss.blur());
    wait(10_000);
    expect(onHide).toHaveBeenCalledOnce();
  });

  it('can be dismissed', () => {
    shown();
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss message' }));
    expect(onHide).toHaveBeenCalledOnce();
  });
});
