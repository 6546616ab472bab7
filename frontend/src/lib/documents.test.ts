import { describe, expect, it } from 'vitest';

import {
  allowsSupportWidget,
  belongsHere,
  isCardDocument,
  loadAnew,
  siteOfDocument,
} from '@/lib/documents';
import { takeNews } from '@/lib/news';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { notify, useSnackbar } from '@/stores/snackbar';
import { aSite } from '@/testing/data';
import { pageLoads, servedAs } from '@/testing/documents';

const ALL = Object.values(paths);
const CARD: readonly string[] = [paths.addCard, paths.updateCard];
const PAYPAL: readonly string[] = [paths.payPal];

describe('a document', () => {
  it('without a mark is an ordinary one', () => {
    expect(isCardDocument()).toBe(false);
    expect(belongsHere('/dashboard?a=/add-card-payment-method')).toBe(true);
    expect([...CARD, ...PAYPAL].filter(belongsHere)).toEqual([]);
  });

  it.each([
    ['app', false, ALL.filter((path) => !CARD.includes(path) && !PAYPAL.includes(path))],
    ['card', true, CARD],
    ['payPal', true, PAYPAL],
  ] as const)('served as %s holds its own screens', (kind, isCard, own) => {
    servedAs(kind);
    expect(isCardDocument()).toBe(isCard);
    expect(ALL.filter((path) => belongsHere(`${path}?a=b#c`))).toEqual(own);
  });
});

describe('the site', () => {
  it('comes with the document', () => {
    servedAs('app', { site: aSite() });
    expect(siteOfDocument()).toEqual(aSite());
  });

  it.each([undefined, null])('has to be asked for where the document says %s', (site) => {
    servedAs('app', { site });
    expect(siteOfDocument()).toBeUndefined();
  });
});

describe('where there is a support widget', () => {
  const PROFILE: readonly string[] = [paths.editProfile];
  const OTHERS = ALL.filter((path) => ![...CARD, ...PAYPAL, ...PROFILE].includes(path));

  it('the profile is a document of its own, which does not allow it', () => {
    servedAs('profile');
    expect(ALL.filter(belongsHere)).toEqual(PROFILE);
    expect([allowsSupportWidget(), isCardDocument()]).toEqual([false, false]);
  });

  it('the others allow it and do not hold the profile', () => {
    servedAs('app', { supportWidget: true });
    expect(ALL.filter(belongsHere)).toEqual(OTHERS);
    expect(allowsSupportWidget()).toBe(true);
  });
});

describe('loading another document', () => {
  it('takes along what has just been said, to be said there once', () => {
    const { reload } = pageLoads();
    notify('Card added.', 'warning');
    loadAnew();
    expect(reload).toHaveBeenCalledOnce();

    useSnackbar.setState(useSnackbar.getInitialState(), true);
    takeNews();
    expect(useSnackbar.getState()).toMatchObject({
      visible: true,
      content: 'Card added.',
      severity: 'warning',
    });
    expect(window.history.state).toEqual({});
    useSnackbar.setState(useSnackbar.getInitialState(), true);
    takeNews();
    expect(useSnackbar.getState().visible).toBe(false);
  });

  it('forgets how an earlier session ended as soon as there is a new one', () => {
    window.history.replaceState({ news: { said: null, ended: 'expired' } }, '');
    useAuth.getState().signIn('token');
    takeNews();
    expect(useAuth.getState().ended).toBeNull();
  });
});
