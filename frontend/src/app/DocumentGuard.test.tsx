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
import { pageLoads, servedAs } from '@/testing/documents';
import { DocumentGuard } from './DocumentGuard';
import { SignedInOnly } from './SignedInOnly';

const CARD = '/add-card-payment-method';
const PAYPAL = '/add-paypal-payment-method';
let navigate: NavigateFunction;
let loads: ReturnType<typeof pageLoads>;

function Screen({ name }: { name: string }) {
  navigate = useNavigate();
  return (
    <>
      <p>{name}</p>
      <Link to={`${CARD}?operationType=ADD`}>Add a card</Link>
    </>
  );
}

function openedAt(address: string) {
  window.history.replaceState(null, '', address);
  render(
    <BrowserRouter>
      <DocumentGuard>
        <Routes>
          <Route path="/" element={<Screen name="Landing" />} />
          <Route path="/dashboard" element={<Screen name="Home" />} />
          <Route path="/coupon" element={<Screen name="Coupon" />} />
          <Route element={<SignedInOnly />}>
            <Route path={CARD} element={<Screen name="Card" />} />
            <Route path={PAYPAL} element={<Screen name="PayPal" />} />
          </Route>
        </Routes>
      </DocumentGuard>
    </BrowserRouter>,
  );
}

const go = (to: string) => act(async () => navigate(to));
const loading = () => screen.findByRole('status', { name: 'Loading' });

async function expectLoadedAnewAt(address: string) {
  expect(await loading()).toBeVisible();
  expect(document.querySelector('p')).toHaveTextContent('Loading');
  await waitFor(() => expect(loads.reload).toHaveBeenCalledOnce());
  expect(document.location.pathname + document.location.search).toBe(address);
}

beforeEach(() => {
  loads = pageLoads();
  useAuth.getState().signIn('token');
});

describe('an ordinary document', () => {
  beforeEach(() => servedAs('app'));

  it('shows its own screens without loading anything', async () => {
    openedAt('/dashboard');
    await go('/coupon');
    expect(screen.getByText('Coupon')).toBeVisible();
    expect(loads.reload).not.toHaveBeenCalled();
  });

  it('loads a card screen anew when a link leads there', async () => {
    openedAt('/dashboard');
    await userEvent.click(screen.getByText('Add a card'));
    await expectLoadedAnewAt(`${CARD}?operationType=ADD`);
  });

  it.each([`${CARD}/`, '/ADD-card-payment-method', '/add%2Dcard-payment-method'])(
    'takes %s for the card screen, as the router does',
    async (address) => {
      openedAt('/dashboard');
      await go(address);
      await expectLoadedAnewAt(address);
    },
  );

  it('loads a card screen anew on the way forward', async () => {
    openedAt('/dashboard');
    await go(CARD);
    act(() => window.history.back());
    expect(await screen.findByText('Home')).toBeVisible();
    loads.reload.mockClear();
    act(() => window.history.forward());
    await expectLoadedAnewAt(CARD);
  });

  it('begins again a load that was cut short', async () => {
    openedAt('/dashboard');
    await go(CARD);
    await go(PAYPAL);
    expect(loads.reload).toHaveBeenCalledTimes(2);
  });
});

describe('a card document', () => {
  beforeEach(() => servedAs('card'));

  it('shows the card screen', () => {
    openedAt(`${CARD}?operationType=ADD`);
    expect(screen.getByText('Card')).toBeVisible();
    expect(loads.reload).not.toHaveBeenCalled();
  });

  it.each(['/dashboard', '/', PAYPAL, '/no/such/page'])('loads %s anew', async (address) => {
    openedAt(CARD);
    await go(address);
    await expectLoadedAnewAt(address);
  });

  it('loads the way back anew', async () => {
    window.history.replaceState(null, '', '/dashboard');
    window.history.pushState(null, '', CARD);
    openedAt(CARD);
    act(() => window.history.back());
    await expectLoadedAnewAt('/dashboard');
  });

  it('remembers where one was going, and that the session ended, when that leads away', async () => {
    openedAt(`${CARD}?a=1`);
    act(() => useAuth.getState().expire('token'));
    await expectLoadedAnewAt('/');
    expect(window.history.state).toMatchObject({
      usr: { from: `${CARD}?a=1` },
      news: { ended: 'expired' },
    });
  });

  it('remembers neither of one who chose to leave', async () => {
    openedAt(CARD);
    act(() => useAuth.getState().signOut());
    await expectLoadedAnewAt('/');
    expect(window.history.state).toMatchObject({ usr: null, news: { ended: 'by-choice' } });
  });

  it('is no loop where the server does not know of it', async () => {
    const name = `${document.location.origin}/coupon`;
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ name } as PerformanceEntry]);
    openedAt('/coupon');
    expect(screen.getByText('Coupon')).toBeVisible();
    expect(loads.reload).not.toHaveBeenCalled();
  });

  it('is loaded anew when it comes back from the browser’s memory at another address', async () => {
    openedAt(CARD);
    window.history.replaceState(null, '', '/dashboard');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
    expect(loads.reload).not.toHaveBeenCalled();
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await waitFor(() => expect(loads.reload).toHaveBeenCalledOnce());
  });
});

it('shows the PayPal screen in a document of its own only', async () => {
  servedAs('payPal');
  openedAt(PAYPAL);
  expect(screen.getByText('PayPal')).toBeVisible();
  await go(CARD);
  await expectLoadedAnewAt(CARD);
});
