import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderDashboard, serveDashboard } from '@/features/dashboard/dashboardWorld';
import { createQueryClient } from '@/lib/api/queryClient';
import { errorResponse, server } from '@/testing/server';
import { ActivityPanel } from './ActivityPanel';

beforeEach(serveDashboard);

describe('the activity', () => {
  const findPanel = () => screen.findByRole('region', { name: 'Activity' });
  const makeEntries = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      at: `2026-11-${20 - index}T15:05:00Z`,
      kind: 'paused',
      text: `Done ${index + 1}`,
      actor: index === 0 ? 'support' : 'you',
      mailId: index === 1 ? 7 : null,
    }));

  // shows: dashboard-3, api-34
  it('lists what was done, when and by whom, a page at a time', async () => {
    const all = makeEntries(7);
    server.use(
      http.get('*/api/account/activity', ({ request }) => {
        const query = new URL(request.url).searchParams;
        const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
        return HttpResponse.json(all.slice(offset, offset + limit));
      }),
    );
    const { user } = renderDashboard();
    const findRows = async () => within(await findPanel()).getAllByRole('listitem');
    await screen.findByText('Done 1');
    expect(await findRows()).toHaveLength(5);
    expect((await findRows())[0]).toHaveTextContent(/Done 1Nov 20, 2026, .* · Customer Service/);
    await user.click(screen.getByRole('button', { name: 'Show more activity' }));
    expect(await screen.findByText('Done 7')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Show more activity' })).not.toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Activity' })).toHaveFocus();
  });

  const makeSentMail = () => ({
    sentAt: '2026-11-19T15:06:00Z',
    sentTo: 'ava@example.com',
    title: 'Receipt for Kids: $8.99',
    lines: ['Kids renewed on November 19, 2026.'],
    facts: [{ name: 'Payment method', value: 'Visa ending in 1111' }],
    note: 'Questions? Contact Customer Service.',
    links: [{ text: 'See your invoice', path: '/billingHistory?invoice=12' }],
  });

  // shows: api-62
  it('opens the mail of an entry as it was sent', async () => {
    let requests = 0;
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(makeEntries(3))),
      http.get('*/api/account/mails/7', () => {
        requests += 1;
        return HttpResponse.json(makeSentMail());
      }),
    );
    const { user } = renderDashboard();
    const read = await screen.findByRole('button', { name: 'Read the email “Done 2”' });
    expect(screen.getAllByRole('button', { name: /Read the email/ })).toHaveLength(1);
    expect(requests).toBe(0);
    await user.click(read);
    const dialog = within(await screen.findByRole('dialog', { name: 'Receipt for Kids: $8.99' }));
    expect(dialog.getByText(/^Sent to ava@example.com$/)).toBeInTheDocument();
    expect(dialog.getByText(/^Kids renewed/)).toHaveTextContent(
      'Kids renewed on November 19, 2026.',
    );
    expect(dialog.getByRole('definition')).toHaveTextContent('Visa ending in 1111');
    expect(dialog.getByText('Questions? Contact Customer Service.')).toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'See your invoice' })).toHaveAttribute(
      'href',
      '/billingHistory?invoice=12',
    );
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(read).toHaveFocus();
  });

  it('returns the focus to the entry although another one has been added above it', async () => {
    let entries = makeEntries(3);
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(entries)),
      http.get('*/api/account/mails/7', () => HttpResponse.json(makeSentMail())),
    );
    const client = createQueryClient();
    render(
      <QueryClientProvider client={client}>
        <MemoryRouter>
          <ActivityPanel />
        </MemoryRouter>
      </QueryClientProvider>,
    );
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Read the email “Done 2”' }));
    await screen.findByText(/^Kids renewed/);
    entries = [{ ...makeEntries(1)[0], text: 'Done since' } as (typeof entries)[0], ...entries];
    await act(() => client.invalidateQueries());
    await screen.findByText('Done since');
    await user.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.getByRole('button', { name: 'Read the email “Done 2”' })).toHaveFocus();
  });

  it('says that a mail could not be loaded, and tries again', async () => {
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(makeEntries(3))),
      http.get('*/api/account/mails/7', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
      http.get('*/api/account/mails/7', () => HttpResponse.json(makeSentMail())),
    );
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Read the email “Done 2”' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Done 2' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(/^Kids renewed/)).toBeInTheDocument();
  });

  it('shows an empty state, and a failure to load', async () => {
    server.use(
      http.get('*/api/account/activity', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = renderDashboard();
    const region = within(await findPanel());
    expect(await region.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(region.getByRole('button', { name: 'Try again' }));
    expect(await region.findByText(/No activity yet/)).toBeInTheDocument();
  });
});
