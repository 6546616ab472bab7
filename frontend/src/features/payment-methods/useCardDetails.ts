import { useEffect, useState } from 'react';

import type { PaymentSource } from '@/lib/api/types';
import { type BillingDetails, useBillingDetails } from '@/stores/billingDetails';
import { ownerName, splitName } from './words';

export type DetailName = keyof BillingDetails;
export type Problems = Partial<Record<DetailName, string>>;

const REQUIRED: Record<DetailName, string> = {
  name: 'Please enter the name on the card.',
  billingState: 'Please enter your state.',
  billingZip: 'Please enter your zip code.',
};

/** What the server calls them, by the field in which they are typed. */
const FIELDS: Record<string, DetailName> = {
  firstName: 'name',
  lastName: 'name',
  billingState: 'billingState',
  billingZip: 'billingZip',
};

function problemsOf(details: BillingDetails): Problems {
  const empty = (Object.keys(REQUIRED) as DetailName[]).filter(
    (name) => details[name].trim() === '',
  );
  return Object.fromEntries(empty.map((name) => [name, REQUIRED[name]]));
}

function problemsIn(fields: Record<string, string[]>): Problems {
  const said = Object.entries(fields).map(([field, messages]) => [FIELDS[field], messages[0]]);
  return Object.fromEntries(said.filter(([name]) => name !== undefined));
}

/** The draft of whose card it is, begun with what is known of the one that is updated. */
export function useCardDetails(source: PaymentSource | null) {
  const { name, billingState, billingZip, change, clear } = useBillingDetails();
  const [problems, setProblems] = useState<Problems>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list read anew does not undo what was typed.
  useEffect(() => {
    change({
      name: source ? ownerName(source) : '',
      billingState: source?.billingState ?? '',
      billingZip: source?.billingZip ?? '',
    });
    return clear;
  }, []);
  const typed = { name, billingState, billingZip };
  return {
    typed,
    problems,
    change: (field: DetailName, value: string) => {
      change({ [field]: value });
      setProblems((before) => ({ ...before, [field]: undefined }));
    },
    /** Looks for what is missing and says it; the first of it, if any. */
    check: (): DetailName | null => {
      const found = problemsOf(typed);
      setProblems(found);
      return (Object.keys(found)[0] as DetailName | undefined) ?? null;
    },
    /** Takes over what the server found wrong. */
    refuse: (fields: Record<string, string[]>) => setProblems(problemsIn(fields)),
    /** As the provider and the portal want them. */
    owner: () => ({
      ...splitName(name),
      billingState: billingState.trim(),
      billingZip: billingZip.trim(),
    }),
  };
}
