import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import { accountOptions } from '@/lib/api/queries';
import type { Profile } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { hasCode, isUnconfirmed, messageOf } from '@/lib/errors';
import { notifyError } from '@/lib/notices';
import { notify } from '@/stores/snackbar';
import { profileOptions, updateProfile } from './api';
import { INVALID_BIRTHDAY } from './birthday';
import { type FieldName, useProfileDraft } from './useProfileDraft';

const UPDATED = 'Profile details updated successfully.';
const UNCONFIRMED =
  'We could not confirm yet that your profile was updated. Press ‘Update Profile’ again to find out.';

interface Failure {
  tone: 'info' | 'error';
  words: string;
}

function failureOf(error: Error): Failure {
  if (isUnconfirmed(error)) return { tone: 'info', words: UNCONFIRMED };
  return { tone: 'error', words: `Your profile was not updated. ${messageOf(error)}` };
}

/** The draft, and saving it. What was typed stays until it is saved; `onRefused` gets the field to mend. */
export function useProfileForm(saved: Profile, onRefused: (name: FieldName) => void) {
  const client = useQueryClient();
  const draft = useProfileDraft(saved);
  const [failure, setFailure] = useState<Failure | null>(null);

  const refuse = (error: Error) => {
    const name = hasCode(error, 'validation_error') ? draft.refuse(error.fields ?? {}) : null;
    if (name) return onRefused(name);
    setFailure(failureOf(error));
    notifyError(error);
  };
  const command = useCommand<Profile, Profile>(updateProfile, {
    onSuccess: (profile, sent) => {
      client.setQueryData(profileOptions.queryKey, profile);
      void client.invalidateQueries({ queryKey: accountOptions.queryKey });
      draft.forget(sent);
      notify(UPDATED);
    },
    onError: refuse,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    const name = draft.check();
    if (!name) return command.mutate(draft.profile);
    if (name === 'bmonth' || name === 'bday') notify(INVALID_BIRTHDAY, 'warning');
    onRefused(name);
  };
  return { ...draft, failure, submit, isSaving: command.isPending };
}
