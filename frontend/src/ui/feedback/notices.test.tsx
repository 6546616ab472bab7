import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { EmptyState } from './EmptyState';
import { ErrorState } from './ErrorState';
import { InfoAlert } from './InfoAlert';

describe('the info alert', () => {
  // shows: shell-10
  it('has an optional action button, SAVE CHANGES by default', async () => {
    const onAction = vi.fn();
    const { rerender } = render(<InfoAlert>Changed.</InfoAlert>);
    expect(screen.queryByRole('button')).toBeNull();
    rerender(<InfoAlert onAction={onAction}>Changed.</InfoAlert>);
    await userEvent.click(screen.getByRole('button', { name: 'SAVE CHANGES' }));
    expect(onAction).toHaveBeenCalledOnce();
  });

  it('is an alert when it is about a failure', () => {
    render(<InfoAlert tone="error">It failed.</InfoAlert>);
    expect(screen.getByRole('alert')).toHaveTextContent('It failed.');
  });
});

it('shows a failure, that it affects no subscription, and retries', async () => {
  const onRetry = vi.fn();
  render(<ErrorState message="The portal is busy." onRetry={onRetry} />);
  expect(screen.getByRole('alert')).toHaveTextContent('The portal is busy.');
  expect(screen.getByRole('alert')).toHaveTextContent('This doesn’t affect your subscriptions.');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(onRetry).toHaveBeenCalledOnce();
});

it('shows an empty state with a link', () => {
  render(
    <EmptyState title="No invoices yet" action={<a href="/plans">See plans</a>}>
      They appear here.
    </EmptyState>,
  );
  expect(screen.getByText('They appear here.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'See plans' })).toBeVisible();
});
