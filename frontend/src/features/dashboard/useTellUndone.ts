import { useNavigate } from 'react-router-dom';

import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { goesOnSentences, toReceipt } from '@/lib/receipts';
import { notify } from '@/stores/snackbar';

/** Says that something was taken back: shortly, and as a receipt above the account home. */
export function useTellUndone(): (message: string, plans: readonly Plan[]) => void {
  const navigate = useNavigate();
  return (message, plans) => {
    notify(message);
    const state = toReceipt(plans.flatMap(goesOnSentences), plans);
    void navigate(paths.dashboard, { replace: true, state });
  };
}
