import { queryOptions } from '@tanstack/react-query';
import { getJson, postJson } from '@/lib/api/http';
import { queryKeys } from '@/lib/api/queries';
import type { Profile, SessionPlace } from '@/lib/api/types';

export const profileOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'profile'],
  queryFn: ({ signal }) => getJson<Profile>('/api/account/profile', { signal }),
});

/** Last used first. */
export const sessionsOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'sessions'],
  queryFn: ({ signal }) => getJson<SessionPlace[]>('/api/account/sessions', { signal }),
});

/**
 * Saves the whole profile; the server ignores the email address. Throws `validation_error` with its
 * fields.
 */
export function updateProfile(profile: Profile, idempotencyKey: string): Promise<Profile> {
  return postJson<Profile>('/api/account/profile/update', { body: profile, idempotencyKey });
}

/** Ends every session but this one, and returns those left. */
export function revokeOtherSessions(idempotencyKey: string): Promise<SessionPlace[]> {
  return postJson<SessionPlace[]>('/api/account/sessions/revoke-others', { idempotencyKey });
}

/** Fetches everything that the portal stores about the subscriber. */
export function exportData(signal: AbortSignal): Promise<unknown> {
  return getJson<unknown>('/api/account/export', { signal });
}
