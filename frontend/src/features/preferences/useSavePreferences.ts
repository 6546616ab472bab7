import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';

import type { EmailPreference } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { notifyError } from '@/lib/notices';
import { paths } from '@/lib/paths';
import { NOTHING, preferencesOptions, savePreferences, type Wanted } from './api';

/** What the query says where everything was ended at once. */
export const UNSUBSCRIBE_ALL = 'unsubscribeAll';

/** Saves what is wanted and goes to the screen that confirms it; a failure is said, and nothing moves. */
export function useSavePreferences() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const command = useCommand<EmailPreference[], Wanted>(savePreferences, {
    onSuccess: (preferences) => client.setQueryData(preferencesOptions.queryKey, preferences),
    onError: notifyError,
  });
  const confirm = (search: string) => () =>
    void navigate(paths.emailConfirm + search, { state: { saved: true } });
  return {
    isSaving: command.isPending,
    save: (wanted: Wanted) => command.mutate(wanted, { onSuccess: confirm('') }),
    /** `onRefused` runs where it failed, after that has been said. */
    unsubscribeFromAll: (onRefused: () => void) =>
      command.mutate(NOTHING, {
        onSuccess: confirm(`?state=${UNSUBSCRIBE_ALL}`),
        onError: onRefused,
      }),
  };
}
