import { type ChangeEvent, useRef } from 'react';

import type { Profile } from '@/lib/api/types';
import { useUnsavedGuard } from '@/lib/hooks/useUnsavedGuard';
import { Button } from '@/ui/buttons/Button';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { TextField } from '@/ui/forms/Field';
import { BirthdayFields } from './BirthdayFields';
import { FixedEmail } from './FixedEmail';
import styles from './ProfilePage.module.css';
import type { FieldName } from './useProfileDraft';
import { useProfileForm } from './useProfileForm';

const NAME_LENGTH = 100;

function focusField(form: HTMLFormElement | null, name: FieldName): void {
  form?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
}

/** The form for names and birthday; the email address is read-only. */
export function ProfileForm({ saved }: { saved: Profile }) {
  const form = useRef<HTMLFormElement>(null);
  const { profile, problems, hasChanges, change, failure, submit, isSaving } = useProfileForm(
    saved,
    (name) => focusField(form.current, name),
  );
  const nameFieldProps = (name: 'firstName' | 'lastName') => ({
    name,
    value: profile[name],
    error: problems[name] ?? null,
    maxLength: NAME_LENGTH,
    required: true,
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.target.value }),
  });
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.pair}>
        <TextField label="First name" autoComplete="given-name" {...nameFieldProps('firstName')} />
        <TextField label="Last name" autoComplete="family-name" {...nameFieldProps('lastName')} />
      </div>
      <BirthdayFields
        month={profile.bmonth}
        day={profile.bday}
        error={problems.bmonth ?? problems.bday ?? null}
        onChange={change}
      />
      <FixedEmail email={profile.email} />
      {failure && <InfoAlert tone={failure.tone}>{failure.message}</InfoAlert>}
      <Button type="submit" busy={isSaving} block>
        Update Profile
      </Button>
      <UnsavedDialog hasChanges={hasChanges} />
    </form>
  );
}

/** Asks before unsaved changes are lost. */
function UnsavedDialog({ hasChanges }: { hasChanges: boolean }) {
  const { isHolding, stay, leave } = useUnsavedGuard(hasChanges);
  return (
    <ConfirmModal
      open={isHolding}
      title="Leave without saving?"
      message="The changes to your profile haven’t been saved."
      confirmBtnText="YES, LEAVE"
      onConfirm={leave}
      onCancel={stay}
    />
  );
}
