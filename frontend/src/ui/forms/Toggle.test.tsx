import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Toggle } from './Toggle';

describe('a toggle', () => {
  // shows: shell-15
  it('is a switch', async () => {
    const onChange = vi.fn();
    render(<Toggle id="news" label="News" checked={false} onChange={onChange} />);
    await userEvent.click(screen.getByRole('switch', { name: 'News', checked: false }));
    expect(onChange).toHaveBeenCalledWith(true);
  });

  // shows: shell-15
  it('does nothing while disabled', async () => {
    const onChange = vi.fn();
    render(<Toggle id="news" label="News" checked disabled onChange={onChange} />);
    await userEvent.click(screen.getByRole('switch', { name: 'News' }));
    expect(onChange).not.toHaveBeenCalled();
  });
});
