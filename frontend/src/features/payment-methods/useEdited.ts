import { useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';

import type { PaymentSource, Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { type EditOperation, editedIn, type SourceKind } from '@/lib/paymentSources';
import { notify } from '@/stores/snackbar';

const UNKNOWN = 'Choose the payment method that you would like to update.';

/** Sends one to the list, with a sentence that says what to do there. */
export function useToTheList(): (said?: string) => void {
  const navigate = useNavigate();
  return (said = UNKNOWN) => {
    notify(said, 'warning');
    void navigate(paths.paymentMethods, { replace: true });
  };
}

export interface Edited {
  operationType: EditOperation;
  /** The one to update; null when one is added. */
  source: PaymentSource | null;
}

/** What an address is about: 'lost' is what is to be updated and not there, or somebody else's. */
function editedOf(
  { operationType, paymentSourceId }: ReturnType<typeof editedIn>,
  held: readonly PaymentSource[],
): Edited | 'lost' {
  if (operationType === 'ADD') return { operationType, source: null };
  const source = held.find((one) => one.paymentSourceId === paymentSourceId);
  return source ? { operationType, source } : 'lost';
}

/**
 * What a form is about, by its address; null while that is not known, and for one that cannot be: then
 * one is sent to the list. Once known it is kept, since an update may put another one in its place.
 */
export function useEdited(
  kind: SourceKind,
  payments: Payments | undefined,
  operation?: EditOperation,
): Edited | null {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const toTheList = useToTheList();
  const [kept, keep] = useState<Edited | 'lost' | null>(null);
  if (payments && !kept) {
    const named = editedIn(query, state);
    const asked = { ...named, operationType: operation ?? named.operationType };
    keep(editedOf(asked, kind === 'CARD' ? payments.card : payments.paypal));
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent once, as soon as it is known.
  useEffect(() => {
    if (kept === 'lost') toTheList();
  }, [kept]);
  return kept === 'lost' ? null : kept;
}
