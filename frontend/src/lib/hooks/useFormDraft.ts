import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import { accountOptions } from '@/lib/api/queries';
import { keepsDrafts, useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';

/**
 * A form's state, like `useState`. If the session expires, the state is restored once the same
 * subscriber has signed in again. It is kept in memory only, and never used for card details.
 */
export function useFormDraft<T>(name: string, initial: T) {
  const [draft, setDraft] = useState<T>(() => readSavedDraft<T>(name) ?? initial);
  const owner = useDraftOwner();
  const latest = useRef({ owner, draft });
  useEffect(() => {
    latest.current = { owner, draft };
  });
  useEffect(() => {
    useDrafts.getState().forget(name);
    return () => saveDraftIfExpired(name, latest.current);
  }, [name]);
  return [draft, setDraft] as const;
}

/** The draft that this subscriber left in a form. Each form name has one type. */
function readSavedDraft<T>(name: string): T | undefined {
  const saved = useDrafts.getState().saved[name];
  return saved && saved.owner === useAuth.getState().email ? (saved.draft as T) : undefined;
}

/**
 * The email address of the subscriber, known from the sign-in, or fetched if the page started with
 * a stored token.
 */
export function useDraftOwner(): string | undefined {
  const email = useAuth((auth) => auth.email);
  const account = useQuery({ ...accountOptions, enabled: email === null });
  return email ?? account.data?.email;
}

function saveDraftIfExpired(
  name: string,
  { owner, draft }: { owner: string | undefined; draft: unknown },
): void {
  const session = useAuth.getState();
  if (owner === undefined || session.token !== null || !keepsDrafts(session)) return;
  useDrafts.getState().save(name, { owner, draft });
}
