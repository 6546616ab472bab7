import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import { accountOptions } from '@/lib/api/queries';
import { useAuth } from '@/stores/auth';
import { useDrafts } from '@/stores/drafts';

/**
 * What is entered in a form, as `useState` holds it. Where the session expires meanwhile, it is there
 * again once the same subscriber has signed in; it is kept in memory only, and never for card details.
 */
export function useFormDraft<T>(name: string, initial: T) {
  const [draft, setDraft] = useState<T>(() => left<T>(name) ?? initial);
  const owner = useOwner();
  const latest = useRef({ owner, draft });
  useEffect(() => {
    latest.current = { owner, draft };
  });
  useEffect(() => {
    useDrafts.getState().forget(name);
    return () => keepIfExpired(name, latest.current);
  }, [name]);
  return [draft, setDraft] as const;
}

/** What this subscriber left in a form; a form's name stands for one type. */
function left<T>(name: string): T | undefined {
  const kept = useDrafts.getState().kept[name];
  return kept && kept.owner === useAuth.getState().email ? (kept.draft as T) : undefined;
}

/** Who is signed in: known from the sign-in, and asked for where the page began with a token. */
function useOwner(): string | undefined {
  const email = useAuth((auth) => auth.email);
  const account = useQuery({ ...accountOptions, enabled: email === null });
  return email ?? account.data?.email;
}

function keepIfExpired(
  name: string,
  { owner, draft }: { owner: string | undefined; draft: unknown },
): void {
  const { token, ended } = useAuth.getState();
  if (owner === undefined || token !== null || ended !== 'expired') return;
  useDrafts.getState().keep(name, { owner, draft });
}
