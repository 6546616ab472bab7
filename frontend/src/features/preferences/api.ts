import { queryOptions } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { BillingDetails, EmailPreference } from '@/lib/api/types';
import { get, post } from '@/lib/http';

const PATH = '/api/account/communicationPreferences';

export type PreferenceKey = EmailPreference['key'];

/** Which kinds of email are wanted. */
export type Wanted = Record<PreferenceKey, boolean>;

export const NOTHING: Wanted = {
  newsLetter: false,
  streaming: false,
  promotions: false,
  branding: false,
};

/** The four kinds, with their words. */
export const preferencesOptions = queryOptions({
  queryKey: [...keys.account.all, 'email-preferences'],
  queryFn: ({ signal }) => get<EmailPreference[]>(PATH, { signal }),
});

/** Where emails go. */
export const billingDetailsOptions = queryOptions({
  queryKey: [...keys.account.all, 'billing-details'],
  queryFn: ({ signal }) => get<BillingDetails>('/api/account/billing-details', { signal }),
});

/** Says which of the four are wanted from now on. */
export function savePreferences(
  wanted: Wanted,
  idempotencyKey: string,
): Promise<EmailPreference[]> {
  return post<EmailPreference[]>(PATH, { body: wanted, idempotencyKey });
}

/** The kinds as they are listed, as what is saved. */
export function wantedIn(preferences: readonly EmailPreference[]): Wanted {
  const listed = preferences.map(({ key, checked }) => [key, checked]);
  return { ...NOTHING, ...Object.fromEntries(listed) };
}
