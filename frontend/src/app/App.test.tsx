import { onlineManager } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { keys } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/queryClient';
import { tellOtherTabs } from '@/lib/tabs';
import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useModal } from '@/stores/modal';
import { notify } from '@/stores/snackbar';
import { anInvoice, aPlan, aProfile, aSite, someManagePlans, somePayments } from '@/testing/data';
import { servedAs } from '@/testing/documents';
import { refusal, server } from '@/testing/server';
import { App } from './App';

function openedAt(address: string) {
  const queryClient = createQueryClient();
  render(
    <MemoryRouter initialEntries={[address]}>
      <App queryClient={queryClient} />
    </MemoryRouter>,
  );
  return { user: userEvent.setup(), queryClient };
}

const DAY = 24 * 60 * 60;

const signIn = () => useAuth.getState().signIn('test-token');
const landed = () => screen.findByRole('heading', { level: 1, name: /^Your .* account$/ });

describe('the shell', () => {
  it('falls back to the landing page for what it does not know', async () => {
    openedAt('/no/such/page');
    expect(await landed()).toBeVisible();
    await waitFor(() => expect(document.title).toBe('Sign in · Faith & Family'));
  });

  it('shows no profile menu while nobody is signed in', async () => {
    openedAt('/');
    await landed();
    expect(screen.queryByRole('button', { name: 'Your profile' })).not.toBeInTheDocument();
  });

  it('colours itself for the brand of the host', async () => {
    openedAt('/');
    await landed();
    expect(document.documentElement.style.getPropertyValue('--brand-light-primary')).toBe(
      '#23418f',
    );
    expect(document.documentElement.style.getPropertyValue('--brand-dark-on-primary')).toBe(
      '#ffffff',
    );
  });

  it('wears the logo of the brand, and shows those of the services', async () => {
    openedAt('/');
    await landed();
    const header = screen.getByRole('banner');
    const logo = within(header)
      .getByRole('link', { name: 'Faith & Family home' })
      .querySelector('img');
    expect(logo).toHaveAttribute('src', aSite().brand.logoUrl);
    const services = within(within(header).getByRole('list', { name: 'Our services' }));
    expect(services.getAllByRole('listitem')).toHaveLength(3);
  });

  it('draws help, terms and privacy in the footer, with the year', async () => {
    openedAt('/');
    await landed();
    const footer = within(screen.getByRole('contentinfo'));
    expect(footer.getByRole('link', { name: /Contact Customer Service/ })).toHaveAttribute(
      'href',
      'https://help.example.com/requests/new',
    );
    expect(footer.getByRole('link', { name: /Privacy Policy/ })).toBeVisible();
    expect(footer.getByText(`© ${new Date().getFullYear()} Faith & Family`)).toBeVisible();
  });

  it('leaves out what operators switched off', async () => {
    const site = aSite();
    const brand = { ...site.brand, contactLinkEnabled: false, termsUrl: '', showSubLogos: false };
    server.use(http.get('*/api/site', () => HttpResponse.json({ ...site, brand })));
    openedAt('/');
    await landed();
    expect(screen.queryByRole('link', { name: /Contact Customer Service/ })).toBeNull();
    expect(screen.queryByRole('link', { name: /Terms of Service/ })).toBeNull();
    expect(screen.queryByRole('list', { name: 'Our services' })).toBeNull();
  });

  it('still lets one sign in when the site does not answer', async () => {
    server.use(http.get('*/api/site', () => refusal(404, 'not_found', 'Not found.')));
    openedAt('/');
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
    expect(screen.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  });
});

describe('a signed-in subscriber', () => {
  beforeEach(signIn);

  it('finds the profile menu', async () => {
    const { user } = openedAt('/');
    await user.click(await screen.findByRole('button', { name: 'Your profile' }));
    const menu = within(screen.getByRole('banner'));
    for (const [name, address] of [
      ['Your Subscriptions', '/manage-subscription'],
      ['Payment Methods', '/manage-payment-method'],
      ['Email Preferences', '/emailPreferences'],
    ] as const)
      expect(menu.getByRole('link', { name })).toHaveAttribute('href', address);
    expect(menu.getByRole('button', { name: 'Logout' })).toBeVisible();
  });

  it('logs out here and at the server', async () => {
    const authorization = vi.fn();
    server.use(
      http.post('*/api/auth/logout', ({ request }) => {
        authorization(request.headers.get('Authorization'));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user, queryClient } = openedAt('/');
    await user.click(await screen.findByRole('button', { name: 'Your profile' }));
    await user.click(screen.getByRole('button', { name: 'Logout' }));

    expect(localStorage.getItem('token')).toBeNull();
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
    await waitFor(() => expect(authorization).toHaveBeenCalledWith('Bearer test-token'));
    expect(queryClient.getQueriesData({ queryKey: ['account'] })).toEqual([]);
  });

  it('keeps the screen while it is asked again whether a payment failed', async () => {
    server.use(
      http.get(
        '*/api/account/check-payment-failure',
        () => refusal(404, 'not_found', 'Not found.'),
        {
          once: true,
        },
      ),
      http.get('*/api/account/check-payment-failure', () => new Promise<never>(() => undefined)),
    );
    const { user, queryClient } = openedAt('/coupon');
    await user.type(await screen.findByRole('textbox', { name: 'Code' }), 'SAVE20');
    act(() => void queryClient.refetchQueries({ queryKey: keys.account.paymentFailure }));
    expect(screen.getByRole('textbox', { name: 'Code' })).toHaveValue('SAVE20');
  });

  it('is told on every screen that a payment failed', async () => {
    server.use(
      http.get('*/api/account/check-payment-failure', () =>
        HttpResponse.json({ hasPaymentFailure: true }),
      ),
    );
    openedAt('/');
    const banner = await screen.findByRole('region', { name: 'Payment Failed' });
    expect(banner).toHaveTextContent(
      "We couldn't process your payment. Please update your payment details to avoid any interruptions to your subscription.",
    );
    expect(within(banner).queryByRole('button')).toBeNull();
  });

  it.each([
    [0, 'It breaks our heart to see you go!'],
    [31 * DAY, 'We are sad to see you go!'],
  ])('has days counted by a clock that is %i s ahead', async (clockOffset, words) => {
    const nextBillingAt = new Date(Date.now() + 100 * DAY * 1000).toISOString();
    server.use(
      http.get('*/api/site', () => HttpResponse.json(aSite({ clockOffset }))),
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(someManagePlans({ existingPlans: [aPlan({ nextBillingAt })] })),
      ),
      http.get('*/api/account/pause/estimate', () => refusal(409, 'nothing_to_pause', 'Nothing.')),
    );
    openedAt('/cancelAll');
    expect(await screen.findByRole('heading', { level: 1, name: words })).toBeVisible();
  });

  it('is shown what another tab has changed', async () => {
    server.use(http.get('*/api/invoice/list', () => HttpResponse.json([])));
    openedAt('/billingHistory');
    expect(await screen.findByText(/Your billing history is currently empty/)).toBeVisible();
    server.use(http.get('*/api/invoice/list', () => HttpResponse.json([anInvoice()])));
    const otherTab = new BroadcastChannel('account-changed');
    otherTab.postMessage(null);
    expect(await screen.findByRole('button', { name: /Download invoice/ })).toBeVisible();
    otherTab.close();
  });

  it('asks for nothing anew on what it tells the other tabs itself', async () => {
    const asked = vi.fn(() => HttpResponse.json([]));
    server.use(http.get('*/api/invoice/list', asked));
    openedAt('/billingHistory');
    expect(await screen.findByText(/Your billing history is currently empty/)).toBeVisible();
    const otherTab = new BroadcastChannel('account-changed');
    const heard = new Promise((resolve) => {
      otherTab.onmessage = resolve;
    });
    tellOtherTabs();
    await heard;
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    otherTab.close();
    expect(asked).toHaveBeenCalledOnce();
  });

  it('is signed out in this tab too after logging out in another', async () => {
    openedAt('/');
    await screen.findByRole('button', { name: 'Your profile' });
    localStorage.removeItem('token');
    window.dispatchEvent(new StorageEvent('storage', { key: 'token' }));
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
  });
});

describe('every screen but the account home', () => {
  const UPDATING = '?operationType=UPDATE&paymentSourceId=pm_visa';

  it.each<[string, Parameters<typeof servedAs>[0]]>([
    ['/manage-subscription', 'app'],
    ['/manage-subscription/upgrade', 'app'],
    ['/manage-subscription/downgrade', 'app'],
    ['/summary?action=upgrade', 'app'],
    ['/coupon', 'app'],
    ['/pause-offer', 'app'],
    ['/pause-summary', 'app'],
    ['/cancelAll', 'app'],
    ['/edit-profile', 'app'],
    ['/emailPreferences', 'app'],
    ['/emailConfirm', 'app'],
    ['/billingHistory', 'app'],
    ['/manage-payment-method', 'app'],
    ['/add-payment-method', 'app'],
    ['/add-payment-method-success?paymentSourceId=pm_visa', 'app'],
    ['/add-card-payment-method', 'card'],
    [`/update-card-payment-method${UPDATING}`, 'card'],
    ['/add-paypal-payment-method', 'payPal'],
  ])('leads back there, whatever can be loaded: %s', async (address, kind) => {
    signIn();
    servedAs(kind);
    server.use(
      http.get('*/api/payments/', () => HttpResponse.json(somePayments())),
      http.all('*/api/*', () => refusal(404, 'not_found', 'Not found.')),
    );
    openedAt(address);
    const back = await screen.findByRole('link', { name: 'Manage Your Account' });
    expect(back).toHaveAttribute('href', '/dashboard');
  });
});

describe('a screen that loads', () => {
  it.each([
    ['plans', '/manage-subscription', '*/api/account/manage-plans', someManagePlans()],
    ['a profile', '/edit-profile', '*/api/account/profile', aProfile()],
    ['preferences', '/emailPreferences', '*/api/account/communicationPreferences', []],
    ['invoices', '/billingHistory', '*/api/invoice/list', []],
  ])('is under the overlay until its %s are there', async (_what, address, path, answer) => {
    signIn();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    server.use(
      http.get(path, async () => {
        await arrived;
        return HttpResponse.json(answer);
      }),
      http.get('*/api/account/sessions', () => HttpResponse.json([])),
      http.get('*/api/account/billing-details', () => HttpResponse.json({ email: 'a@b.example' })),
    );
    openedAt(address);
    await screen.findByRole('link', { name: 'Manage Your Account' });
    expect(screen.getByRole('status', { name: 'Loading' })).toBeVisible();
    arrive();
    await waitFor(() => expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull());
  });
});

describe('a connection that is lost', () => {
  afterEach(() => onlineManager.setOnline(true));

  it('is said above the screen for as long as it is away', async () => {
    openedAt('/');
    await landed();
    act(() => onlineManager.setOnline(false));
    expect(screen.getByRole('main')).toHaveTextContent('You are offline.');
    act(() => onlineManager.setOnline(true));
    expect(screen.getByRole('main')).not.toHaveTextContent('You are offline.');
  });
});

describe('the global parts', () => {
  it('show a message said from anywhere', async () => {
    openedAt('/');
    await landed();
    notify('Scheduled Pause has been removed successfully.');
    expect(await screen.findByText('Scheduled Pause has been removed successfully.')).toBeVisible();
  });

  it('ask for confirmation and act on it once', async () => {
    signIn();
    const { user } = openedAt('/');
    await landed();
    const onConfirm = vi.fn();
    useModal.getState().show({
      title: 'Sure?',
      message: 'Really?',
      confirmBtnText: 'YES',
      modalData: 7,
      onConfirm,
    });
    await user.click(await screen.findByRole('button', { name: 'YES' }));
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith(7);
    await waitFor(() => expect(useModal.getState().open).toBe(false));
  });

  it('say what went wrong with what was confirmed', async () => {
    signIn();
    const { user } = openedAt('/');
    await landed();
    useModal.getState().show({
      title: 'Sure?',
      message: 'Really?',
      onConfirm: () => Promise.reject(new Error('No.')),
    });
    await user.click(await screen.findByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong');
  });

  it('keep a notice until it is dismissed', async () => {
    signIn();
    const { user } = openedAt('/');
    await landed();
    const callback = vi.fn();
    useAlert.getState().show({ message: 'You have changes.', callback });
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    expect(callback).toHaveBeenCalledOnce();
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    expect(screen.queryByText('You have changes.')).toBeNull();
  });
});
