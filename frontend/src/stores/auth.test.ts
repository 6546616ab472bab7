import { afterEach, describe, expect, it, vi } from 'vitest';

import { followOtherTabs, useAuth } from './auth';

describe('the session', () => {
  it('lasts as long as the page if storage is blocked', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    useAuth.getState().signIn('token');
    expect(useAuth.getState().token).toBe('token');
  });

  it('is not ended by the failure of an old token', () => {
    useAuth.getState().signIn('new');
    useAuth.getState().expire('old');
    expect(useAuth.getState()).toMatchObject({ token: 'new', ended: null });
  });
});

describe('other tabs', () => {
  let unsubscribe: () => void = () => undefined;
  afterEach(() => unsubscribe());

  it('are followed on sign-in', () => {
    unsubscribe = followOtherTabs();
    localStorage.setItem('token', 'theirs');
    window.dispatchEvent(new StorageEvent('storage', { key: 'token' }));
    expect(useAuth.getState().token).toBe('theirs');
  });

  it('are ignored for other storage keys', () => {
    unsubscribe = followOtherTabs();
    useAuth.getState().signIn('ours');
    localStorage.removeItem('token');
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
    expect(useAuth.getState().token).toBe('ours');
  });

  it('are synced by a page restored from the back/forward cache', () => {
    unsubscribe = followOtherTabs();
    useAuth.getState().signIn('ours');
    localStorage.removeItem('token');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(useAuth.getState()).toMatchObject({ token: null, ended: 'expired' });
  });

  it('do not change how this tab’s session ended', () => {
    unsubscribe = followOtherTabs();
    useAuth.getState().signIn('ours');
    useAuth.getState().expire('ours');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(useAuth.getState().ended).toBe('expired');
  });
});
