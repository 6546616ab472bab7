import { useEffect, useState } from 'react';
import { ownerName, splitName } from '@/features/payment-methods/shared/messages';
import type { PaymentSource } from '@/lib/api/types';
import { type CardholderDetails, useBillingDetails } from '@/stores/billingDetails';

export type DetailName = keyof CardholderDetails;
export type CardProblems = Partial<Record<DetailName, string>>;

const MISSING_MESSAGES: Record<DetailName, string> = {
  name: 'Please enter the name on the card.',
  billingState: 'Please enter your state.',
  billingZip: 'Please enter your zip code.',
};

/** In the order of the form. */
const DETAIL_NAMES = Object.keys(MISSING_MESSAGES) as DetailName[];

/** Maps the server's field names to the form's fields. */
const DETAILS_BY_SERVER_FIELD: Record<string, DetailName> = {
  firstName: 'name',
  lastName: 'name',
  billingState: 'billingState',
  billingZip: 'billingZip',
};

/** The provider's limit for the first name, and for the last name. */
const LONGEST_NAME = 50;
const NAME_TOO_LONG =
  'Please shorten the name. Its first word and the rest can have 50 characters each.';

/** What is missing, or would be refused after the bank has been asked. */
function findInvalidDetails(details: CardholderDetails): CardProblems {
  const empty = DETAIL_NAMES.filter((name) => details[name].trim() === '');
  const isTooLong = Object.values(splitName(details.name)).some(
    (part) => [...part].length > LONGEST_NAME,
  );
  return {
    ...Object.fromEntries(empty.map((name) => [name, MISSING_MESSAGES[name]])),
    ...(isTooLong && { name: NAME_TOO_LONG }),
  };
}

function problemsFromServer(fields: Record<string, string[]>): CardProblems {
  const problems = Object.entries(fields).map(([field, messages]) => [
    DETAILS_BY_SERVER_FIELD[field],
    messages[0],
  ]);
  return Object.fromEntries(problems.filter(([name]) => name !== undefined));
}

/** The draft of the cardholder's details, prefilled from the card to update, or with a new card's owner. */
export function useCardDetails(source: PaymentSource | null, newOwner: string) {
  const { name, billingState, billingZip, change, clear } = useBillingDetails();
  const [problems, setProblems] = useState<CardProblems>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refetch must not overwrite what was typed.
  useEffect(() => {
    change({
      name: source ? ownerName(source) : newOwner,
      billingState: source?.billingState ?? '',
      billingZip: source?.billingZip ?? '',
    });
    return clear;
  }, []);
  const typed = { name, billingState, billingZip };
  return {
    typed,
    problems,
    changeDetail: (field: DetailName, value: string) => {
      change({ [field]: value });
      setProblems((previous) => ({ ...previous, [field]: undefined }));
    },
    /** Shows what is missing or invalid and returns the first such field, if any. */
    findFirstProblem: (): DetailName | null => {
      const found = findInvalidDetails(typed);
      setProblems(found);
      return DETAIL_NAMES.find((name) => found[name]) ?? null;
    },
    /** Shows the server's validation errors. */
    showServerProblems: (fields: Record<string, string[]>) =>
      setProblems(problemsFromServer(fields)),
    /** The details as the provider and the API expect them. */
    readOwner: () => ({
      ...splitName(name),
      billingState: billingState.trim(),
      billingZip: billingZip.trim(),
    }),
  };
}
