import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import { InfoAlert } from '@/ui/InfoAlert';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { EmptyState, ErrorState } from '@/ui/States';

describe('the info alert', () => {
  it('has an action only where there is one, SAVE CHANGES unless told', async () => {
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

it('labels the overlay Loading, also where it says for what', () => {
  render(<LoaderOverlay message="We are confirming." />);
  expect(screen.getByRole('status', { name: 'Loading' })).toHaveTextContent('We are confirming.');
});

it('says what failed, that nothing was lost, and tries again', async () => {
  const onRetry = vi.fn();
  render(<ErrorState message="The portal is busy." onRetry={onRetry} />);
  expect(screen.getByRole('alert')).toHaveTextContent('The portal is busy.');
  expect(screen.getByRole('alert')).toHaveTextContent('Nothing about your subscriptions');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(onRetry).toHaveBeenCalledOnce();
});

it('says what would be here, and one way on', () => {
  render(
    <EmptyState title="No invoices yet" action={<a href="/plans">See plans</a>}>
      They appear here.
    </EmptyState>,
  );
  expect(screen.getByText('They appear here.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'See plans' })).toBeVisible();
});
