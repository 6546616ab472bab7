import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { notifyError } from '@/lib/api/notifyError';
import type { EmailPreference } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { paths } from '@/lib/paths';
import { NO_EMAILS, preferencesOptions, savePreferences, type WantedEmails } from './api';

/** The `state` in the query string after unsubscribing from all emails. */
export const UNSUBSCRIBE_ALL = 'unsubscribeAll';

/** Saves the preferences and navigates to the confirmation. Failures are shown in the snackbar. */
export function useSavePreferences() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const command = useCommand<EmailPreference[], WantedEmails>(savePreferences, {
    onSuccess: (preferences) => client.setQueryData(preferencesOptions.queryKey, preferences),
    onError: notifyError,
  });
  const showConfirmation = (saved: WantedEmails, search: string) => () =>
    void navigate(paths.emailConfirm + search, { state: { saved } });
  return {
    isSaving: command.isPending,
    save: (wantedEmails: WantedEmails) =>
      command.mutate(wantedEmails, { onSuccess: showConfirmation(wantedEmails, '') }),
    /** `onRefused` runs after a failure has been shown. */
    unsubscribeFromAll: (onRefused: () => void) =>
      command.mutate(NO_EMAILS, {
        onSuccess: showConfirmation(NO_EMAILS, `?state=${UNSUBSCRIBE_ALL}`),
        onError: onRefused,
      }),
  };
}
