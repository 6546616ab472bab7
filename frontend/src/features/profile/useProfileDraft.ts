import { useState } from 'react';

import type { Profile } from '@/lib/api/types';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import { INVALID_BIRTHDAY, isValidBirthday, selectableDays } from './birthday';

export type FieldName = 'firstName' | 'lastName' | 'bmonth' | 'bday';
export type ProfileProblems = Partial<Record<FieldName, string>>;

const FIELD_ORDER: readonly FieldName[] = ['firstName', 'lastName', 'bmonth', 'bday'];

function findProblems(profile: Profile): ProfileProblems {
  const { firstName, lastName, bmonth, bday } = profile;
  return {
    ...(firstName.trim() === '' && { firstName: 'please enter your first name.' }),
    ...(lastName.trim() === '' && { lastName: 'please enter your last name.' }),
    ...(!isValidBirthday(bmonth, bday) && { [bmonth === 0 ? 'bmonth' : 'bday']: INVALID_BIRTHDAY }),
  };
}

function firstProblemField(problems: ProfileProblems): FieldName | null {
  return FIELD_ORDER.find((name) => problems[name] !== undefined) ?? null;
}

/** Clears a day that the month does not have after the edits. */
function dropInvalidDay(saved: Profile, edits: Partial<Profile>): Partial<Profile> {
  const { bmonth, bday } = { ...saved, ...edits };
  return bday === 0 || selectableDays(bmonth).includes(bday) ? edits : { ...edits, bday: 0 };
}

/**
 * The edits to the saved profile, and their validation errors. Fields that are not edited follow the
 * saved profile, which may change in another tab.
 */
export function useProfileDraft(saved: Profile) {
  const [draft, setDraft] = useFormDraft<Partial<Profile>>('profile', {});
  const [problems, setProblems] = useState<ProfileProblems>({});
  const profile = { ...saved, ...draft };
  const showProblems = (found: ProfileProblems) => {
    setProblems(found);
    return firstProblemField(found);
  };
  return {
    profile,
    problems,
    hasChanges: FIELD_ORDER.some((name) => profile[name] !== saved[name]),
    /** Clears the error of an edited field; month and day share one. */
    change: (changes: Partial<Profile>) => {
      setDraft(dropInvalidDay(saved, { ...draft, ...changes }));
      const isDate = 'bmonth' in changes || 'bday' in changes;
      const cleared = isDate ? { bmonth: undefined, bday: undefined } : changes;
      const clearedProblems = Object.fromEntries(
        Object.keys(cleared).map((name) => [name, undefined]),
      );
      setProblems((previous) => ({ ...previous, ...clearedProblems }));
    },
    /** Shows what is invalid and returns the first invalid field, if any. */
    findFirstProblem: () => showProblems(findProblems(profile)),
    /** Shows the server's validation errors and returns the first invalid field, if any. */
    showServerProblems: (fields: Record<string, string[]>) =>
      showProblems(Object.fromEntries(FIELD_ORDER.map((name) => [name, fields[name]?.[0]]))),
    /** Drops the edits that were saved, but keeps those typed meanwhile. */
    dropSaved: (saved: Profile) =>
      setDraft((draft) =>
        Object.fromEntries(
          Object.entries(draft).filter(([name, value]) => saved[name as FieldName] !== value),
        ),
      ),
  };
}
