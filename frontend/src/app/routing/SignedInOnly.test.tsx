import { act, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { describe, expect, it } from 'vitest';

import { useAuth } from '@/stores/auth';
import { SignedInOnly } from './SignedInOnly';

function Landing() {
  const { state } = useLocation();
  return <p>Landed, from {JSON.stringify(state)}</p>;
}

function openApp(address: string) {
  render(
    <MemoryRouter initialEntries={[address]}>
      <Routes>
        <Route path="/" element={<Landing />} />
        <Route element={<SignedInOnly />}>
          <Route path="/secret" element={<p>The secret</p>} />
        </Route>
      </Routes>
    </MemoryRouter>,
  );
}

describe('the guard', () => {
  it('lets a signed-in subscriber through', () => {
    useAuth.getState().signIn('token');
    openApp('/secret');
    expect(screen.getByText('The secret')).toBeVisible();
  });

  // shows: routes-4
  it('redirects others to the landing page and keeps the intended path', () => {
    openApp('/secret?a=1');
    expect(screen.getByText('Landed, from {"from":"/secret?a=1"}')).toBeVisible();
  });

  it('keeps the path of an expired session', () => {
    useAuth.getState().signIn('token');
    openApp('/secret');
    act(() => useAuth.getState().expire('token'));
    expect(screen.getByText('Landed, from {"from":"/secret"}')).toBeVisible();
  });

  it('keeps no path after a logout', () => {
    useAuth.getState().signIn('token');
    openApp('/secret');
    act(() => useAuth.getState().signOut());
    expect(screen.getByText('Landed, from null')).toBeVisible();
  });
});
