import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router-dom';
import { describe, expect, it, vi } from 'vitest';

import { Menu } from './Menu';

const onLogout = vi.fn();

async function openMenu() {
  const user = userEvent.setup();
  render(
    <MemoryRouter>
      <Menu
        label="Your profile"
        items={[
          { label: 'Your Subscriptions', to: '/manage-subscription' },
          { label: 'Logout', onSelect: onLogout },
        ]}
      />
    </MemoryRouter>,
  );
  const trigger = screen.getByRole('button', { name: 'Your profile' });
  await user.click(trigger);
  return { user, trigger };
}

describe('the menu', () => {
  it('announces whether it is open', async () => {
    const { user, trigger } = await openMenu();
    expect(trigger).toHaveAttribute('aria-expanded', 'true');
    await user.click(trigger);
    expect(trigger).toHaveAttribute('aria-expanded', 'false');
  });

  it('contains links and buttons, and closes on either', async () => {
    const { user, trigger } = await openMenu();
    expect(screen.getByRole('link', { name: 'Your Subscriptions' })).toHaveAttribute(
      'href',
      '/manage-subscription',
    );
    await user.click(screen.getByRole('button', { name: 'Logout' }));
    expect(onLogout).toHaveBeenCalledOnce();
    expect(trigger).toHaveAttribute('aria-expanded', 'false');
  });

  it('returns the focus to its button if the focus is lost on close', async () => {
    const { trigger } = await openMenu();
    act(() => {
      (document.activeElement as HTMLElement).blur();
      document.getElementById(trigger.getAttribute('popovertarget') ?? '')?.hidePopover();
    });
    expect(trigger).toHaveFocus();
  });
});
