import { useNavigate } from 'react-router-dom';

import { continuationSentences, createReceiptState } from './receipts';
import type { OnUndone } from './undoScheduled';

/** Shows on a screen that a scheduled change was undone, as its receipt. */
export function useReportUndone(path: string, { replace = true } = {}): OnUndone {
  const navigate = useNavigate();
  return (message, plans) => {
    const sentences = [message, ...continuationSentences(plans, message)];
    const state = createReceiptState(sentences, plans);
    void navigate(path, { replace, state });
  };
}
