import { useLocation, useNavigate } from 'react-router-dom';
import type { Challenge } from './challenge';

/**
 * The challenge that the visitor is answering; null before there is one. It is kept with the
 * browser's history entry: a reload does not lose where a mailed code can be entered, and a
 * sign-in replaces it.
 */
export function useChallenge() {
  const { state } = useLocation();
  const navigate = useNavigate();
  const entry = (state ?? {}) as { challenge?: Challenge | null };
  const setChallenge = (challenge: Challenge | null) =>
    void navigate('.', { replace: true, state: { ...entry, challenge } });
  return { challenge: entry.challenge ?? null, setChallenge };
}
