import { queryOptions } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { Profile, SessionPlace } from '@/lib/api/types';
import { get, post } from '@/lib/http';

export const profileOptions = queryOptions({
  queryKey: [...keys.account.all, 'profile'],
  queryFn: ({ signal }) => get<Profile>('/api/account/profile', { signal }),
});

/** The last used first. */
export const sessionsOptions = queryOptions({
  queryKey: [...keys.account.all, 'sessions'],
  queryFn: ({ signal }) => get<SessionPlace[]>('/api/account/sessions', { signal }),
});

/** Saves the whole profile; the server leaves the address as it is. Throws `validation_error` with its fields. */
export function updateProfile(profile: Profile, idempotencyKey: string): Promise<Profile> {
  return post<Profile>('/api/account/profile/update', { body: profile, idempotencyKey });
}

/** Ends every session but this one, and tells which are left. */
export function revokeOtherSessions(idempotencyKey: string): Promise<SessionPlace[]> {
  return post<SessionPlace[]>('/api/account/sessions/revoke-others', { idempotencyKey });
}

/** Everything the portal holds on the subscriber. */
export function exportData(signal: AbortSignal): Promise<unknown> {
  return get<unknown>('/api/account/export', { signal });
}
