import { useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import {
  type EditOperation,
  readEditTarget,
  type SourceKind,
} from '@/domain/payments/paymentSources';
import type { PaymentSource, Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { showSnackbar } from '@/stores/snackbar';

const CHOOSE_METHOD = 'Choose the payment method you’d like to update.';

/** Returns a function that navigates to the list and shows a message. */
export function useReturnToList(): (message?: string) => void {
  const navigate = useNavigate();
  return (message = CHOOSE_METHOD) => {
    showSnackbar(message, 'warning');
    void navigate(paths.paymentMethods, { replace: true });
  };
}

export interface EditedSource {
  operationType: EditOperation;
  /** The payment method to update; null when adding one. */
  source: PaymentSource | null;
}

/**
 * Resolves the URL's target; 'lost' if the payment method to update does not exist in this account.
 */
function resolveEditedSource(
  { operationType, paymentSourceId }: ReturnType<typeof readEditTarget>,
  sources: readonly PaymentSource[],
): EditedSource | 'lost' {
  if (operationType === 'ADD') return { operationType, source: null };
  const source = sources.find((source) => source.paymentSourceId === paymentSourceId);
  return source ? { operationType, source } : 'lost';
}

/**
 * The payment method that the URL names; null while unknown. Navigates to the list if there is
 * none. The first result is kept, because an update may replace the payment method.
 */
export function useEditedSource(
  kind: SourceKind,
  payments: Payments | undefined,
  operation?: EditOperation,
): EditedSource | null {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const returnToList = useReturnToList();
  const [edited, setEdited] = useState<EditedSource | 'lost' | null>(null);
  if (payments && !edited) {
    const target = readEditTarget(query, state);
    const request = { ...target, operationType: operation ?? target.operationType };
    setEdited(resolveEditedSource(request, kind === 'CARD' ? payments.card : payments.paypal));
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: redirects once, as soon as it is known.
  useEffect(() => {
    if (edited === 'lost') returnToList();
  }, [edited]);
  return edited === 'lost' ? null : edited;
}
