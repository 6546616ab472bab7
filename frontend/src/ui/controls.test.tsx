import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Button } from './Button';
import { TextField } from './Field';
import { Toggle } from './Toggle';

describe('a button', () => {
  it('ignores clicks while busy, and keeps the focus', async () => {
    const onClick = vi.fn();
    render(
      <Button busy onClick={onClick}>
        Save
      </Button>,
    );
    const button = screen.getByRole('button', { name: 'Save', busy: true });
    await userEvent.click(button);
    expect(onClick).not.toHaveBeenCalled();
    expect(button).toHaveFocus();
  });

  it('submits no form while busy', async () => {
    const onSubmit = vi.fn();
    render(
      <form onSubmit={onSubmit}>
        <Button type="submit" busy>
          Save
        </Button>
      </form>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onSubmit).not.toHaveBeenCalled();
  });
});

describe('a field', () => {
  it('connects label, hint and error to its control', () => {
    render(<TextField label="Name" hint="As on the card" error="Please enter a name." />);
    const input = screen.getByRole('textbox', { name: 'Name' });
    expect(input).toHaveAccessibleDescription('As on the card Please enter a name.');
    expect(input).toBeInvalid();
  });
});

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
