import { type ChangeEvent, useRef } from 'react';

import type { Profile } from '@/lib/api/types';
import { Button } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { InfoAlert } from '@/ui/InfoAlert';
import { Birthday } from './Birthday';
import { FixedEmail } from './FixedEmail';
import styles from './ProfilePage.module.css';
import type { FieldName } from './useProfileDraft';
import { useProfileForm } from './useProfileForm';

const NAME_LENGTH = 100;

function focusOn(form: HTMLFormElement | null, name: FieldName): void {
  form?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
}

/** Names and birthday; the address is only shown. */
export function ProfileForm({ saved }: { saved: Profile }) {
  const form = useRef<HTMLFormElement>(null);
  const { profile, problems, change, failure, submit, isSaving } = useProfileForm(saved, (name) =>
    focusOn(form.current, name),
  );
  const nameField = (name: 'firstName' | 'lastName') => ({
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
        <TextField label="First name" autoComplete="given-name" {...nameField('firstName')} />
        <TextField label="Last name" autoComplete="family-name" {...nameField('lastName')} />
      </div>
      <Birthday
        month={profile.bmonth}
        day={profile.bday}
        error={problems.bmonth ?? problems.bday ?? null}
        onChange={change}
      />
      <FixedEmail email={profile.email} />
      {failure && <InfoAlert tone={failure.tone}>{failure.words}</InfoAlert>}
      <Button type="submit" busy={isSaving} block>
        Update Profile
      </Button>
    </form>
  );
}
