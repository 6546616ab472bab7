import { useNavigate } from 'react-router-dom';

import { showSnackbar } from '@/stores/snackbar';
import { continuationSentences, createReceiptState } from './receipts';
import type { OnUndone } from './undoScheduled';

/** Shows that a scheduled change was undone, in the snackbar and as a receipt on a screen. */
export function useReportUndone(path: string, { replace = true } = {}): OnUndone {
  const navigate = useNavigate();
  return (message, plans) => {
    showSnackbar(message);
    const state = createReceiptState(plans.flatMap(continuationSentences), plans);
    void navigate(path, { replace, state });
  };
}
