import { queryOptions } from '@tanstack/react-query';
import { getJson, postJson } from '@/lib/api/http';
import { queryKeys } from '@/lib/api/queries';
import type { BillingDetails, EmailPreference } from '@/lib/api/types';

const PATH = '/api/account/communicationPreferences';

export type PreferenceKey = EmailPreference['key'];

/** The kinds of email that the subscriber wants. */
export type WantedEmails = Record<PreferenceKey, boolean>;

export const NO_EMAILS: WantedEmails = {
  newsLetter: false,
  streaming: false,
  promotions: false,
  branding: false,
};

/** The four kinds of email with names and summaries. */
export const preferencesOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'email-preferences'],
  queryFn: ({ signal }) => getJson<EmailPreference[]>(PATH, { signal }),
});

/** The address that emails are sent to. */
export const billingDetailsOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'billing-details'],
  queryFn: ({ signal }) => getJson<BillingDetails>('/api/account/billing-details', { signal }),
});

/** Saves which kinds of email the subscriber wants. */
export function savePreferences(
  wanted: WantedEmails,
  idempotencyKey: string,
): Promise<EmailPreference[]> {
  return postJson<EmailPreference[]>(PATH, { body: wanted, idempotencyKey });
}

/** Converts the listed preferences to the shape to save. */
export function wantedEmails(preferences: readonly EmailPreference[]): WantedEmails {
  const listed = preferences.map(({ key, checked }) => [key, checked]);
  return { ...NO_EMAILS, ...Object.fromEntries(listed) };
}
