import { useState } from 'react';

import type { Profile } from '@/lib/api/types';
import { useFormDraft } from '@/lib/useFormDraft';
import { daysOffered, INVALID_BIRTHDAY, isBirthday } from './birthday';

export type FieldName = 'firstName' | 'lastName' | 'bmonth' | 'bday';
export type Problems = Partial<Record<FieldName, string>>;

const ORDER: readonly FieldName[] = ['firstName', 'lastName', 'bmonth', 'bday'];

function problemsOf(profile: Profile): Problems {
  const { firstName, lastName, bmonth, bday } = profile;
  return {
    ...(firstName.trim() === '' && { firstName: 'please enter your first name.' }),
    ...(lastName.trim() === '' && { lastName: 'please enter your last name.' }),
    ...(!isBirthday(bmonth, bday) && { [bmonth === 0 ? 'bmonth' : 'bday']: INVALID_BIRTHDAY }),
  };
}

function firstOf(problems: Problems): FieldName | null {
  return ORDER.find((name) => problems[name] !== undefined) ?? null;
}

/** A day that the month does not offer cannot stay chosen. */
function fitted(profile: Profile): Profile {
  return daysOffered(profile.bmonth).includes(profile.bday) ? profile : { ...profile, bday: 0 };
}

/** What is typed over the profile that is saved, and what is wrong with it. */
export function useProfileDraft(saved: Profile) {
  const [draft, setDraft] = useFormDraft<Partial<Profile>>('profile', {});
  const [problems, setProblems] = useState<Problems>({});
  const profile = { ...saved, ...draft };
  const say = (found: Problems) => {
    setProblems(found);
    return firstOf(found);
  };
  return {
    profile,
    problems,
    /** Typing in a field takes its problem away; month and day are one thing. */
    change: (some: Partial<Profile>) => {
      setDraft(fitted({ ...profile, ...some }));
      const isDate = 'bmonth' in some || 'bday' in some;
      const cleared = isDate ? { bmonth: undefined, bday: undefined } : some;
      const gone = Object.fromEntries(Object.keys(cleared).map((name) => [name, undefined]));
      setProblems((before) => ({ ...before, ...gone }));
    },
    /** Looks for what is wrong and says it; the first field it is in, if any. */
    check: () => say(problemsOf(profile)),
    /** Takes over what the server found wrong; the first field it is in, if any. */
    refuse: (fields: Record<string, string[]>) =>
      say(Object.fromEntries(ORDER.map((name) => [name, fields[name]?.[0]]))),
    /** What was saved is no draft any more; what was typed meanwhile is. */
    forget: (saved: Profile) =>
      setDraft((draft) =>
        Object.fromEntries(
          Object.entries(draft).filter(([name, value]) => saved[name as FieldName] !== value),
        ),
      ),
  };
}
