import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  changeFailureMessage,
  errorMessage,
  hasCode,
  isUnanswered,
  isUnconfirmed,
} from '@/lib/api/errors';
import { notifyError } from '@/lib/api/notifyError';
import type { Profile } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { showSnackbar } from '@/stores/snackbar';
import { profileOptions, updateProfile } from './api';
import { INVALID_BIRTHDAY } from './birthday';
import { type FieldName, useProfileDraft } from './useProfileDraft';

const UPDATED_MESSAGE = 'Profile details updated successfully.';
const UNCONFIRMED_MESSAGE =
  'We couldn’t confirm your update yet. Press ‘Update Profile’ again to check.';

interface Failure {
  tone: 'info' | 'error';
  message: string;
}

function describeFailure(error: Error): Failure {
  if (isUnconfirmed(error)) return { tone: 'info', message: UNCONFIRMED_MESSAGE };
  if (isUnanswered(error)) return { tone: 'error', message: changeFailureMessage(error) };
  return { tone: 'error', message: `Your profile wasn’t updated. ${errorMessage(error)}` };
}

/** The profile form. Edits stay until they are saved; `onRefused` receives the field to correct. */
export function useProfileForm(saved: Profile, onRefused: (name: FieldName) => void) {
  const client = useQueryClient();
  const draft = useProfileDraft(saved);
  const [failure, setFailure] = useState<Failure | null>(null);

  const handleFailure = (error: Error) => {
    const name = hasCode(error, 'validation_error')
      ? draft.showServerProblems(error.fields ?? {})
      : null;
    if (name) return onRefused(name);
    setFailure(describeFailure(error));
    notifyError(error);
  };
  const command = useCommand<Profile, Profile>(updateProfile, {
    onSuccess: (profile, sent) => {
      client.setQueryData(profileOptions.queryKey, profile);
      draft.dropSaved(sent);
      showSnackbar(UPDATED_MESSAGE);
    },
    onError: handleFailure,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    const name = draft.findFirstProblem();
    if (!name) return command.mutate(draft.profile);
    if (name === 'bmonth' || name === 'bday') showSnackbar(INVALID_BIRTHDAY, 'warning');
    onRefused(name);
  };
  return { ...draft, failure, submit, isSaving: command.isPending };
}
