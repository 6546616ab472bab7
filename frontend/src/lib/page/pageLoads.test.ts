import { describe, expect, it, vi } from 'vitest';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { showSnackbar, useSnackbar } from '@/stores/snackbar';
import { makeSite } from '@/testing/fixtures';
import { servePageAs, stubReload } from '@/testing/pageLoads';
import { applyHandover } from './handover';
import { canShowInThisPage, isLinkFollowed, reloadPage } from './pageLoads';
import {
  pageAllowsProviderScript,
  pageAllowsSupportWidget,
  readSiteFromPage,
} from './pageSettings';

const ALL = Object.values(paths);
const CARD: readonly string[] = [paths.addCard, paths.updateCard];
const PAYPAL: readonly string[] = [paths.payPal];

describe('a page', () => {
  it('without settings is an ordinary page', () => {
    expect(pageAllowsProviderScript()).toBe(false);
    expect(canShowInThisPage('/dashboard?a=/add-card-payment-method')).toBe(true);
    expect([...CARD, ...PAYPAL].filter(canShowInThisPage)).toEqual([]);
  });

  it.each([
    ['app', false, ALL.filter((path) => !CARD.includes(path) && !PAYPAL.includes(path))],
    ['card', true, CARD],
    ['payPal', true, PAYPAL],
  ] as const)('served as %s shows only its own screens', (kind, isCard, own) => {
    servePageAs(kind);
    expect(pageAllowsProviderScript()).toBe(isCard);
    expect(ALL.filter((path) => canShowInThisPage(`${path}?a=b#c`))).toEqual(own);
  });
});

describe('a page load', () => {
  it.each([
    ['navigate', '/dashboard', true],
    ['navigate', '', false],
    ['reload', '/dashboard', false],
    ['back_forward', '/dashboard', false],
  ])('of type %s from “%s” followed a link: %s', (type, from, isFollowed) => {
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type } as never]);
    const referrer = from && `${window.location.origin}${from}`;
    vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer);
    expect(isLinkFollowed()).toBe(isFollowed);
  });

  it('from another site followed no link of the app', () => {
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type: 'navigate' } as never]);
    vi.spyOn(document, 'referrer', 'get').mockReturnValue('https://elsewhere.example/');
    expect(isLinkFollowed()).toBe(false);
  });
});

describe('the site', () => {
  it('comes with the page', () => {
    servePageAs('app', { site: makeSite() });
    expect(readSiteFromPage()).toEqual(makeSite());
  });

  it.each([undefined, null])('has to be fetched if the page says %s', (site) => {
    servePageAs('app', { site });
    expect(readSiteFromPage()).toBeUndefined();
  });
});

describe('with a support widget', () => {
  const PROFILE: readonly string[] = [paths.editProfile];
  const OTHERS = ALL.filter((path) => ![...CARD, ...PAYPAL, ...PROFILE].includes(path));

  it('the profile is a page of its own, which does not allow the widget', () => {
    servePageAs('profile');
    expect(ALL.filter(canShowInThisPage)).toEqual(PROFILE);
    expect([pageAllowsSupportWidget(), pageAllowsProviderScript()]).toEqual([false, false]);
  });

  it('the other pages allow the widget and cannot show the profile', () => {
    servePageAs('app', { supportWidget: true });
    expect(ALL.filter(canShowInThisPage)).toEqual(OTHERS);
    expect(pageAllowsSupportWidget()).toBe(true);
  });
});

describe('reloading the page', () => {
  it('hands over the current message, which is shown once', () => {
    const { reload } = stubReload();
    showSnackbar('Card added.', 'warning');
    reloadPage();
    expect(reload).toHaveBeenCalledOnce();

    useSnackbar.setState(useSnackbar.getInitialState(), true);
    expect(applyHandover()).toBe(true);
    expect(sessionStorage).toHaveLength(0);
    expect(useSnackbar.getState()).toMatchObject({
      visible: true,
      content: 'Card added.',
      severity: 'warning',
    });
    useSnackbar.setState(useSnackbar.getInitialState(), true);
    expect(applyHandover()).toBe(false);
    expect(useSnackbar.getState().visible).toBe(false);
  });

  it('ignores how an earlier session ended after a new sign-in', () => {
    stubReload();
    useAuth.setState({ ended: 'expired' });
    reloadPage();
    useAuth.getState().signIn('token');
    applyHandover();
    expect(useAuth.getState().ended).toBeNull();
  });

  it('keeps the navigation state, which a browser may drop', () => {
    stubReload();
    window.history.replaceState({ usr: { collected: 699 }, idx: 2 }, '', '/dashboard');
    reloadPage();
    window.history.replaceState(null, '');
    applyHandover();
    expect(window.history.state).toEqual({ usr: { collected: 699 }, idx: 2 });
  });

  it('hands nothing over to another URL, nor later to its own', () => {
    stubReload();
    showSnackbar('Card added.', 'warning');
    reloadPage();
    useSnackbar.setState(useSnackbar.getInitialState(), true);
    const { href } = window.location;
    window.history.replaceState(null, '', '/coupon');
    applyHandover();
    window.history.replaceState(null, '', href);
    applyHandover();
    expect(useSnackbar.getState().visible).toBe(false);
  });

  it('goes on where the browser blocks storage', () => {
    const { reload } = stubReload();
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('blocked', 'SecurityError');
    });
    reloadPage();
    applyHandover();
    expect(reload).toHaveBeenCalledOnce();
  });
});
