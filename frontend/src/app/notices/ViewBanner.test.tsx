import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { App } from '@/app/App';
import { createQueryClient } from '@/lib/api/queryClient';
import { useAuth } from '@/stores/auth';
import { servePageAs } from '@/testing/pageLoads';
import { errorResponse, server } from '@/testing/server';

const VIEW = {
  id: 7,
  name: 'Ava Thompson',
  expiresOn: 'Mar 10, 2026, 12:15 PM',
  secondsLeft: 900,
  endUrl: '/admin/view/end/',
  csrfToken: 'a-csrf-token',
  backUrl: '/admin/accounts/account/7/change/',
};

function openApp(address: string) {
  render(
    <MemoryRouter initialEntries={[address]}>
      <App queryClient={createQueryClient()} />
    </MemoryRouter>,
  );
  return userEvent.setup();
}

// shows: security-61, security-62
describe('an operator who sees an account', () => {
  const assign = vi.fn<(address: string) => void>();

  beforeEach(() => {
    assign.mockClear();
    const get = (_: object, name: string) =>
      name === 'assign' ? assign : Reflect.get(document.location, name);
    vi.stubGlobal('location', new Proxy({}, { get }));
    localStorage.setItem('token', 'of-the-operators-own');
    servePageAs('app', { view: VIEW });
    useAuth.getState().seeAccount();
    return () => vi.unstubAllGlobals();
  });

  it('is told so on every screen, and can end it', async () => {
    openApp('/billingHistory');
    const banner = screen.getByRole('region', { name: 'You see the account of Ava Thompson' });
    expect(banner).toHaveTextContent(
      'Nothing can be changed. The view ends on Mar 10, 2026, 12:15 PM.',
    );
    const form = screen.getByRole('button', { name: 'End view' }).closest('form');
    expect(form).toHaveAttribute('action', VIEW.endUrl);
    expect(form).toHaveFormValues({ csrfmiddlewaretoken: VIEW.csrfToken, view: String(VIEW.id) });
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible();
    expect(banner).toBeVisible();
  });

  it('reads without a token but names its view, and leaves the one of the browser alone', async () => {
    const sent: Request[] = [];
    server.events.on('request:start', ({ request }) => void sent.push(request));
    const user = openApp('/billingHistory');
    await user.click(await screen.findByRole('button', { name: 'Your profile' }));
    expect(screen.getAllByText(/email preferences/i)[0]).toBeVisible();
    expect(screen.queryByText('Logout')).not.toBeInTheDocument();
    useAuth.getState().signOut();
    expect(localStorage.getItem('token')).toBe('of-the-operators-own');
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter(({ headers }) => headers.has('Authorization'))).toEqual([]);
    expect(sent.filter(({ headers }) => headers.get('X-View') !== '7')).toEqual([]);
    server.events.removeAllListeners();
  });

  it('has no payment forms', async () => {
    openApp('/add-card-payment-method');
    expect(await screen.findByText('Not part of this view')).toBeVisible();
    expect(document.querySelector('iframe, script[src]')).toBeNull();
  });

  it('is led back to the account when the view has ended', async () => {
    server.use(
      http.get('*/api/invoice/list', () => errorResponse(401, 'not_authenticated', 'Ended.')),
    );
    openApp('/billingHistory');
    await waitFor(() => expect(assign).toHaveBeenCalledWith(VIEW.backUrl));
    expect(localStorage.getItem('token')).toBe('of-the-operators-own');
  });
});
