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

/** Maps the server's field names to the form's fields. */
const DETAILS_BY_SERVER_FIELD: Record<string, DetailName> = {
  firstName: 'name',
  lastName: 'name',
  billingState: 'billingState',
  billingZip: 'billingZip',
};

function findMissingDetails(details: CardholderDetails): CardProblems {
  const empty = (Object.keys(MISSING_MESSAGES) as DetailName[]).filter(
    (name) => details[name].trim() === '',
  );
  return Object.fromEntries(empty.map((name) => [name, MISSING_MESSAGES[name]]));
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
    /** Shows what is missing and returns the first missing field, if any. */
    findFirstProblem: (): DetailName | null => {
      const missing = findMissingDetails(typed);
      setProblems(missing);
      return (Object.keys(missing)[0] as DetailName | undefined) ?? null;
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
