import { act, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { describe, expect, it } from 'vitest';

import { useAuth } from '@/stores/auth';
import { SignedInOnly } from './SignedInOnly';

function Landing() {
  const { state } = useLocation();
  return <p>Landed, from {JSON.stringify(state)}</p>;
}

function openedAt(address: string) {
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
    openedAt('/secret');
    expect(screen.getByText('The secret')).toBeVisible();
  });

  it('sends anybody else to the landing page, remembering where they were going', () => {
    openedAt('/secret?a=1');
    expect(screen.getByText('Landed, from {"from":"/secret?a=1"}')).toBeVisible();
  });

  it('sends one whose session ended to the landing page and back later', () => {
    useAuth.getState().signIn('token');
    openedAt('/secret');
    act(() => useAuth.getState().expire('token'));
    expect(screen.getByText('Landed, from {"from":"/secret"}')).toBeVisible();
  });

  it('brings nobody back who chose to leave', () => {
    useAuth.getState().signIn('token');
    openedAt('/secret');
    act(() => useAuth.getState().signOut());
    expect(screen.getByText('Landed, from null')).toBeVisible();
  });
});
