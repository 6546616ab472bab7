import { afterEach, describe, expect, it, vi } from 'vitest';

import { followOtherTabs, useAuth } from '@/stores/auth';

describe('the session', () => {
  it('lasts as long as the page where the browser keeps nothing', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    useAuth.getState().signIn('token');
    expect(useAuth.getState().token).toBe('token');
  });

  it('is not ended by an old token’s failure', () => {
    useAuth.getState().signIn('new');
    useAuth.getState().expire('old');
    expect(useAuth.getState()).toMatchObject({ token: 'new', ended: null });
  });
});

describe('other tabs', () => {
  let stop: () => void = () => undefined;
  afterEach(() => stop());

  it('are followed when they sign in', () => {
    stop = followOtherTabs();
    localStorage.setItem('token', 'theirs');
    window.dispatchEvent(new StorageEvent('storage', { key: 'token' }));
    expect(useAuth.getState().token).toBe('theirs');
  });

  it('are not followed for anything else', () => {
    stop = followOtherTabs();
    useAuth.getState().signIn('ours');
    localStorage.removeItem('token');
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
    expect(useAuth.getState().token).toBe('ours');
  });

  it('are caught up with by a page that comes back from the browser’s memory', () => {
    stop = followOtherTabs();
    useAuth.getState().signIn('ours');
    localStorage.removeItem('token');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(useAuth.getState()).toMatchObject({ token: null, ended: 'by-choice' });
  });

  it('leave how one’s own session ended alone', () => {
    stop = followOtherTabs();
    useAuth.getState().signIn('ours');
    useAuth.getState().expire('ours');
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(useAuth.getState().ended).toBe('expired');
  });
});
