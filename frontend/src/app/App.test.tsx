import { onlineManager } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { paymentsOptions, queryKeys } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/api/queryClient';
import { notifyOtherTabs } from '@/lib/page/otherTabs';
import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useModal } from '@/stores/modal';
import { showSnackbar } from '@/stores/snackbar';
import {
  makeInvoice,
  makeManagePlans,
  makePaymentFailure,
  makePayments,
  makePlan,
  makePreferences,
  makeProfile,
  makeSite,
} from '@/testing/fixtures';
import { servePageAs } from '@/testing/pageLoads';
import { errorResponse, server } from '@/testing/server';
import { App } from './App';

function openApp(address: string) {
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
const findLandingHeading = () =>
  screen.findByRole('heading', { level: 1, name: /^Your .* account$/ });

describe('the shell', () => {
  // shows: routes-2
  it('redirects an unknown path to the landing page', async () => {
    openApp('/no/such/page');
    expect(await findLandingHeading()).toBeVisible();
    await waitFor(() => expect(document.title).toBe('Sign in · Faith & Family'));
  });

  // shows: shell-2
  it('shows no profile menu before sign-in', async () => {
    openApp('/');
    await findLandingHeading();
    expect(screen.queryByRole('button', { name: 'Your profile' })).not.toBeInTheDocument();
  });

  it('applies the colors of the host’s brand', async () => {
    openApp('/');
    await findLandingHeading();
    expect(document.documentElement.style.getPropertyValue('--brand-light-primary')).toBe(
      '#23418f',
    );
    expect(document.documentElement.style.getPropertyValue('--brand-dark-on-primary')).toBe(
      '#ffffff',
    );
  });

  // shows: shell-1, shell-4
  it('shows the logos of the brand and of the services', async () => {
    openApp('/');
    await findLandingHeading();
    const header = screen.getByRole('banner');
    const logo = within(header)
      .getByRole('link', { name: 'Faith & Family home' })
      .querySelector('img');
    expect(logo).toHaveAttribute('src', makeSite().brand.logoUrl);
    const services = within(within(header).getByRole('list', { name: 'Our services' }));
    expect(services.getAllByRole('listitem')).toHaveLength(3);
  });

  // shows: shell-19
  it('links the services’ logos to their sites, in a new tab', async () => {
    const site = makeSite();
    const [faith, gospel] = site.services;
    if (!faith || !gospel) throw new Error('The fixture has services.');
    const services = [faith, { ...gospel, streamUrl: '' }];
    server.use(http.get('*/api/site', () => HttpResponse.json({ ...site, services })));
    openApp('/');
    await findLandingHeading();
    for (const name of ['Our services', 'Our brands']) {
      const logos = within(screen.getByRole('list', { name }));
      const watch = logos.getByRole('link');
      expect(watch).toHaveAccessibleName('Watch Faith & Family (opens in a new tab)');
      expect(watch).toHaveAttribute('href', faith.streamUrl);
      expect(watch).toHaveAttribute('target', '_blank');
      expect(watch.getAttribute('rel')).toContain('noopener');
      expect(logos.getByAltText(gospel.name)).toBeVisible();
    }
  });

  // shows: rule-14, shell-5, shell-6, landing-2
  it('shows help, terms, privacy and the year in the footer', async () => {
    openApp('/');
    await findLandingHeading();
    const footer = within(screen.getByRole('contentinfo'));
    expect(footer.getByRole('link', { name: /Contact Customer Service/ })).toHaveAttribute(
      'href',
      'https://help.example.com/requests/new',
    );
    expect(footer.getByRole('link', { name: /Privacy Policy/ })).toBeVisible();
    expect(footer.getByText(`© ${new Date().getFullYear()} Faith & Family`)).toBeVisible();
  });

  // shows: shell-4, shell-5, api-4
  it('hides what operators switched off', async () => {
    const site = makeSite();
    const brand = { ...site.brand, contactLinkEnabled: false, termsUrl: '', showSubLogos: false };
    server.use(http.get('*/api/site', () => HttpResponse.json({ ...site, brand })));
    openApp('/');
    await findLandingHeading();
    expect(screen.queryByRole('link', { name: /Contact Customer Service/ })).toBeNull();
    expect(screen.queryByRole('link', { name: /Terms of Service/ })).toBeNull();
    expect(screen.queryByRole('list', { name: 'Our services' })).toBeNull();
  });

  it('allows sign-in when the site request fails', async () => {
    server.use(http.get('*/api/site', () => errorResponse(404, 'not_found', 'Not found.')));
    openApp('/');
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
    expect(screen.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  });
});

describe('a signed-in subscriber', () => {
  beforeEach(signIn);

  // shows: shell-2
  it('sees the profile menu', async () => {
    const { user } = openApp('/');
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

  // shows: shell-18, rule-15
  it('sees the areas of the account on every screen, with the current one marked', async () => {
    server.use(http.get('*/api/invoice/list', () => HttpResponse.json([])));
    const { user } = openApp('/coupon');
    const areas = within(await screen.findByRole('navigation', { name: 'Your account' }));
    expect(
      areas.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]),
    ).toEqual([
      ['Home', '/dashboard'],
      ['Subscriptions', '/manage-subscription'],
      ['Payments', '/manage-payment-method'],
      ['Invoices', '/billingHistory'],
      ['Profile', '/edit-profile'],
      ['Emails', '/emailPreferences'],
    ]);
    const findCurrent = () => areas.getAllByRole('link').filter((link) => link.ariaCurrent);
    expect(findCurrent().map((link) => [link.textContent, link.ariaCurrent])).toEqual([
      ['Subscriptions', 'true'],
    ]);
    await user.click(areas.getByRole('link', { name: 'Invoices' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Billing History' })).toHaveFocus();
    expect(findCurrent().map((link) => [link.textContent, link.ariaCurrent])).toEqual([
      ['Invoices', 'page'],
    ]);
  });

  // shows: shell-3, api-3
  it('logs out locally and on the server', async () => {
    const authorization = vi.fn();
    server.use(
      http.post('*/api/auth/logout', ({ request }) => {
        authorization(request.headers.get('Authorization'));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const fetched = vi.spyOn(window, 'fetch');
    const { user, queryClient } = openApp('/');
    await user.click(await screen.findByRole('button', { name: 'Your profile' }));
    await user.click(screen.getByRole('button', { name: 'Logout' }));

    expect(localStorage.getItem('token')).toBeNull();
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
    await waitFor(() => expect(authorization).toHaveBeenCalledWith('Bearer test-token'));
    // Also if the tab is closed at once.
    const [, sent] = fetched.mock.calls.find(([url]) => String(url).endsWith('/logout')) ?? [];
    expect(sent).toMatchObject({ keepalive: true });
    fetched.mockRestore();
    expect(queryClient.getQueriesData({ queryKey: ['account'] })).toEqual([]);
  });

  it('keeps the screen while the payment failure is refetched', async () => {
    server.use(
      http.get(
        '*/api/account/check-payment-failure',
        () => errorResponse(404, 'not_found', 'Not found.'),
        {
          once: true,
        },
      ),
      http.get('*/api/account/check-payment-failure', () => new Promise<never>(() => undefined)),
    );
    const { user, queryClient } = openApp('/coupon');
    const code = await screen.findByRole('textbox', { name: 'Code' });
    await user.type(code, 'SAVE');
    act(() => void queryClient.refetchQueries({ queryKey: queryKeys.account.paymentFailure }));
    await user.type(code, '20');
    expect(screen.getByRole('textbox', { name: 'Code' })).toHaveValue('SAVE20');
  });

  it('keeps the screen while a part of it reads the payment methods', async () => {
    server.use(http.get('*/api/payments/', () => new Promise<never>(() => undefined)));
    const { user, queryClient } = openApp('/coupon');
    const code = await screen.findByRole('textbox', { name: 'Code' });
    await user.type(code, 'SAVE');
    act(() => void queryClient.prefetchQuery(paymentsOptions));
    await user.type(code, '20');
    expect(screen.getByRole('textbox', { name: 'Code' })).toHaveValue('SAVE20');
  });

  it('keeps the screen when a payment fails meanwhile', async () => {
    const { user, queryClient } = openApp('/coupon');
    const code = await screen.findByRole('textbox', { name: 'Code' });
    await user.type(code, 'SAVE');
    server.use(
      http.get('*/api/account/check-payment-failure', () =>
        HttpResponse.json(makePaymentFailure({ hasPaymentFailure: true })),
      ),
    );
    act(() => void queryClient.refetchQueries({ queryKey: queryKeys.account.paymentFailure }));
    await screen.findByRole('region', { name: 'Payment Failed' });
    expect(screen.getByRole('textbox', { name: 'Code' })).toHaveValue('SAVE');
  });

  // shows: shell-7, api-8
  it('sees a banner after a failed payment', async () => {
    server.use(
      http.get('*/api/account/check-payment-failure', () =>
        HttpResponse.json(makePaymentFailure({ hasPaymentFailure: true })),
      ),
    );
    openApp('/');
    const banner = await screen.findByRole('region', { name: 'Payment Failed' });
    expect(banner).toHaveTextContent(
      "We couldn't process your payment. Please update your payment details to avoid any interruptions to your subscription.",
    );
    expect(within(banner).queryByRole('button')).toBeNull();
  });

  it.each([
    [0, 'It breaks our heart to see you go!'],
    [31 * DAY, 'We are sad to see you go!'],
  ])('has days counted with a clock that is %i s ahead', async (clockOffset, heading) => {
    const nextBillingAt = new Date(Date.now() + 100 * DAY * 1000).toISOString();
    server.use(
      http.get('*/api/site', () => HttpResponse.json(makeSite({ clockOffset }))),
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(makeManagePlans({ existingPlans: [makePlan({ nextBillingAt })] })),
      ),
      http.get('*/api/account/pause/estimate', () =>
        errorResponse(409, 'nothing_to_pause', 'Nothing.'),
      ),
    );
    openApp('/cancelAll');
    expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeVisible();
  });

  it('sees a change made in another tab', async () => {
    server.use(http.get('*/api/invoice/list', () => HttpResponse.json([])));
    openApp('/billingHistory');
    expect(await screen.findByText(/Your billing history is currently empty/)).toBeVisible();
    server.use(http.get('*/api/invoice/list', () => HttpResponse.json([makeInvoice()])));
    const otherTab = new BroadcastChannel('account-changed');
    otherTab.postMessage(null);
    expect(await screen.findByRole('button', { name: /Download invoice/ })).toBeVisible();
    otherTab.close();
  });

  it('does not revert what another tab has saved when it saves the profile', async () => {
    let profile = makeProfile();
    const saved: unknown[] = [];
    server.use(
      http.get('*/api/account/profile', () => HttpResponse.json(profile)),
      http.get('*/api/account/sessions', () => HttpResponse.json([])),
      http.post('*/api/account/profile/update', async ({ request }) => {
        saved.push(await request.json());
        return HttpResponse.json(profile);
      }),
    );
    const { user } = openApp('/edit-profile');
    await user.type(await screen.findByRole('textbox', { name: 'First name' }), 'na');
    profile = makeProfile({ lastName: 'Miller', bmonth: 3, bday: 9 });
    const otherTab = new BroadcastChannel('account-changed');
    otherTab.postMessage(null);
    await waitFor(() =>
      expect(screen.getByRole('textbox', { name: 'Last name' })).toHaveValue('Miller'),
    );
    otherTab.close();
    await user.click(screen.getByRole('button', { name: 'Update Profile' }));
    await waitFor(() => expect(saved).toEqual([{ ...profile, firstName: 'Avana' }]));
  });

  it('sees a change of the emails in the activity', async () => {
    let activity: object[] = [];
    server.use(
      http.get('*/api/account/activity', () => HttpResponse.json(activity)),
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(makeManagePlans({ existingPlans: [makePlan()] })),
      ),
      http.get('*/api/invoice/list', () => HttpResponse.json([])),
      http.get('*/api/account/communicationPreferences', () =>
        HttpResponse.json(makePreferences()),
      ),
      http.get('*/api/account/billing-details', () =>
        HttpResponse.json({ email: 'ava@example.com' }),
      ),
      http.post('*/api/account/communicationPreferences', () => {
        const text = 'You changed your email preferences.';
        activity = [{ at: '2026-11-20T12:00:00Z', kind: '', text, actor: 'you', mailId: null }];
        return HttpResponse.json(makePreferences('streaming'));
      }),
    );
    const { user } = openApp('/dashboard');
    expect(await screen.findByText(/No activity yet/)).toBeVisible();
    await user.click(screen.getByRole('link', { name: 'Emails' }));
    await user.click((await screen.findAllByRole('checkbox'))[0] as HTMLElement);
    await user.click(screen.getByRole('button', { name: 'SAVE PREFERENCES' }));
    await user.click(await screen.findByRole('link', { name: 'BACK TO ACCOUNT PORTAL' }));
    expect(await screen.findByText('You changed your email preferences.')).toBeVisible();
  });

  it('begins a running first read anew once another tab has changed the account', async () => {
    let answerFirst: () => void = expect.unreachable;
    const isReleased = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    const answers = [isReleased.then(() => [makeInvoice()]), Promise.resolve([])];
    server.use(
      http.get('*/api/invoice/list', async () => HttpResponse.json(await answers.shift())),
    );
    openApp('/billingHistory');
    await waitFor(() => expect(answers).toHaveLength(1));
    const otherTab = new BroadcastChannel('account-changed');
    otherTab.postMessage(null);
    await waitFor(() => expect(answers).toHaveLength(0));
    otherTab.close();
    answerFirst();
    expect(await screen.findByText(/Your billing history is currently empty/)).toBeVisible();
  });

  it('does not refetch after its own message to other tabs', async () => {
    const requested = vi.fn(() => HttpResponse.json([]));
    server.use(http.get('*/api/invoice/list', requested));
    openApp('/billingHistory');
    expect(await screen.findByText(/Your billing history is currently empty/)).toBeVisible();
    const otherTab = new BroadcastChannel('account-changed');
    const received = new Promise((resolve) => {
      otherTab.onmessage = resolve;
    });
    notifyOtherTabs();
    await received;
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    otherTab.close();
    expect(requested).toHaveBeenCalledOnce();
  });

  it('is signed out here after logging out in another tab', async () => {
    openApp('/');
    await screen.findByRole('button', { name: 'Your profile' });
    localStorage.removeItem('token');
    window.dispatchEvent(new StorageEvent('storage', { key: 'token' }));
    expect(await screen.findByRole('button', { name: 'Send code' })).toBeVisible();
  });
});

describe('every screen except the dashboard', () => {
  const UPDATING = '?operationType=UPDATE&paymentSourceId=pm_visa';

  // shows: routes-3
  it.each<[string, Parameters<typeof servePageAs>[0]]>([
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
  ])('links back to the dashboard even if loading fails: %s', async (address, kind) => {
    signIn();
    servePageAs(kind);
    server.use(
      http.get('*/api/payments/', () => HttpResponse.json(makePayments())),
      http.all('*/api/*', () => errorResponse(404, 'not_found', 'Not found.')),
    );
    openApp(address);
    const back = await screen.findByRole('link', { name: 'Manage Your Account' });
    expect(back).toHaveAttribute('href', '/dashboard');
  });
});

describe('a loading screen', () => {
  // shows: routes-6
  it.each([
    ['plans', '/manage-subscription', '*/api/account/manage-plans', makeManagePlans()],
    ['a profile', '/edit-profile', '*/api/account/profile', makeProfile()],
    ['preferences', '/emailPreferences', '*/api/account/communicationPreferences', []],
    ['invoices', '/billingHistory', '*/api/invoice/list', []],
  ])('shows the overlay until its %s have loaded', async (_what, address, path, answer) => {
    signIn();
    let sendAnswer: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      sendAnswer = resolve;
    });
    server.use(
      http.get(path, async () => {
        await arrived;
        return HttpResponse.json(answer);
      }),
      http.get('*/api/account/sessions', () => HttpResponse.json([])),
      http.get('*/api/account/billing-details', () => HttpResponse.json({ email: 'a@b.example' })),
    );
    openApp(address);
    await screen.findByRole('link', { name: 'Manage Your Account' });
    expect(screen.getByRole('status', { name: 'Loading' })).toBeVisible();
    sendAnswer();
    await waitFor(() => expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull());
  });
});

describe('a lost connection', () => {
  afterEach(() => onlineManager.setOnline(true));

  it('shows a notice until it is back', async () => {
    openApp('/');
    await findLandingHeading();
    act(() => onlineManager.setOnline(false));
    expect(screen.getByRole('main')).toHaveTextContent('You’re offline');
    act(() => onlineManager.setOnline(true));
    expect(screen.getByRole('main')).not.toHaveTextContent('You’re offline');
  });
});

describe('the global notices', () => {
  it('show a message from anywhere', async () => {
    openApp('/');
    await findLandingHeading();
    showSnackbar('Scheduled Pause has been removed successfully.');
    expect(await screen.findByText('Scheduled Pause has been removed successfully.')).toBeVisible();
  });

  it('confirm an action once', async () => {
    signIn();
    const { user } = openApp('/');
    await findLandingHeading();
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

  it('show why a confirmed action failed', async () => {
    signIn();
    const { user } = openApp('/');
    await findLandingHeading();
    useModal.getState().show({
      title: 'Sure?',
      message: 'Really?',
      onConfirm: () => Promise.reject(new Error('No.')),
    });
    await user.click(await screen.findByRole('button', { name: 'YES, DOWNGRADE' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong');
  });

  // shows: shell-10
  it('keep an alert until it is dismissed', async () => {
    signIn();
    const { user } = openApp('/');
    await findLandingHeading();
    const callback = vi.fn();
    useAlert.getState().show({ message: 'You have changes.', callback });
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    expect(callback).toHaveBeenCalledOnce();
    await user.click(screen.getByRole('button', { name: 'Dismiss notice' }));
    expect(screen.queryByText('You have changes.')).toBeNull();
  });
});
