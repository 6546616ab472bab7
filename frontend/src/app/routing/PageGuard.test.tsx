import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import {
  BrowserRouter,
  Link,
  type NavigateFunction,
  Route,
  Routes,
  useNavigate,
} from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { useAuth } from '@/stores/auth';
import { servePageAs, stubReload } from '@/testing/pageLoads';
import { PageGuard } from './PageGuard';
import { SignedInOnly } from './SignedInOnly';

const CARD = '/add-card-payment-method';
const PAYPAL = '/add-paypal-payment-method';
let navigate: NavigateFunction;
let reloads: ReturnType<typeof stubReload>;

function Screen({ name }: { name: string }) {
  navigate = useNavigate();
  return (
    <>
      <p>{name}</p>
      <Link to={`${CARD}?operationType=ADD`}>Add a card</Link>
    </>
  );
}

function readHandover(): unknown {
  return JSON.parse(sessionStorage.getItem('handover') ?? 'null');
}

function openApp(address: string) {
  window.history.replaceState(null, '', address);
  render(
    <BrowserRouter>
      <PageGuard>
        <Routes>
          <Route path="/" element={<Screen name="Landing" />} />
          <Route path="/dashboard" element={<Screen name="Home" />} />
          <Route path="/coupon" element={<Screen name="Coupon" />} />
          <Route element={<SignedInOnly />}>
            <Route path={CARD} element={<Screen name="Card" />} />
            <Route path={PAYPAL} element={<Screen name="PayPal" />} />
          </Route>
        </Routes>
      </PageGuard>
    </BrowserRouter>,
  );
}

const navigateTo = (to: string) => act(async () => navigate(to));
const findLoader = () => screen.findByRole('status', { name: 'Loading' });

async function expectReloadAt(address: string) {
  expect(await findLoader()).toBeVisible();
  expect(document.querySelector('p')).toHaveTextContent('Loading');
  await waitFor(() => expect(reloads.reload).toHaveBeenCalledOnce());
  expect(document.location.pathname + document.location.search).toBe(address);
}

beforeEach(() => {
  reloads = stubReload();
  useAuth.getState().signIn('token');
});

describe('an ordinary page', () => {
  beforeEach(() => servePageAs('app'));

  it('shows its own screens without a reload', async () => {
    openApp('/dashboard');
    await navigateTo('/coupon');
    expect(screen.getByText('Coupon')).toBeVisible();
    expect(reloads.reload).not.toHaveBeenCalled();
  });

  it('reloads when a link leads to a card screen', async () => {
    openApp('/dashboard');
    await userEvent.click(screen.getByText('Add a card'));
    await expectReloadAt(`${CARD}?operationType=ADD`);
  });

  it.each([`${CARD}/`, '/ADD-card-payment-method', '/add%2Dcard-payment-method'])(
    'treats %s as the card screen, as the router does',
    async (address) => {
      openApp('/dashboard');
      await navigateTo(address);
      await expectReloadAt(address);
    },
  );

  it('reloads when going forward to a card screen', async () => {
    openApp('/dashboard');
    await navigateTo(CARD);
    act(() => window.history.back());
    expect(await screen.findByText('Home')).toBeVisible();
    reloads.reload.mockClear();
    act(() => window.history.forward());
    await expectReloadAt(CARD);
  });

  it('restarts a reload that was canceled', async () => {
    openApp('/dashboard');
    await navigateTo(CARD);
    await navigateTo(PAYPAL);
    expect(reloads.reload).toHaveBeenCalledTimes(2);
  });
});

describe('a card page', () => {
  beforeEach(() => servePageAs('card'));

  it('shows the card screen', () => {
    openApp(`${CARD}?operationType=ADD`);
    expect(screen.getByText('Card')).toBeVisible();
    expect(reloads.reload).not.toHaveBeenCalled();
  });

  it.each(['/dashboard', '/', PAYPAL, '/no/such/page'])('reloads for %s', async (address) => {
    openApp(CARD);
    await navigateTo(address);
    await expectReloadAt(address);
  });

  it('reloads when going back', async () => {
    window.history.replaceState(null, '', '/dashboard');
    window.history.pushState(null, '', CARD);
    openApp(CARD);
    act(() => window.history.back());
    await expectReloadAt('/dashboard');
  });

  it('keeps the intended path and the expired session across the reload', async () => {
    openApp(`${CARD}?a=1`);
    act(() => useAuth.getState().expire('token'));
    await expectReloadAt('/');
    expect(readHandover()).toMatchObject({
      state: { usr: { from: `${CARD}?a=1` } },
      ended: 'expired',
    });
  });

  it('keeps no path after a logout', async () => {
    openApp(CARD);
    act(() => useAuth.getState().signOut());
    await expectReloadAt('/');
    expect(readHandover()).toMatchObject({ state: { usr: null }, ended: 'by-choice' });
  });

  it('does not reload in a loop if the server serves the wrong page', async () => {
    const name = `${document.location.origin}/coupon`;
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ name } as PerformanceEntry]);
    openApp('/coupon');
    expect(screen.getByText('Coupon')).toBeVisible();
    expect(reloads.reload).not.toHaveBeenCalled();
  });

  it('reloads when restored from the back/forward cache at another path', async () => {
    openApp(CARD);
    window.history.replaceState(null, '', '/dashboard');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
    expect(reloads.reload).not.toHaveBeenCalled();
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await waitFor(() => expect(reloads.reload).toHaveBeenCalledOnce());
  });
});

it('shows the PayPal screen only in its own page', async () => {
  servePageAs('payPal');
  openApp(PAYPAL);
  expect(screen.getByText('PayPal')).toBeVisible();
  await navigateTo(CARD);
  await expectReloadAt(CARD);
});
