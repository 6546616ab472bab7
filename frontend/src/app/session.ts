import type { QueryClient } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import { post } from '@/lib/http';
import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useBillingDetails } from '@/stores/billingDetails';
import { useCart } from '@/stores/cart';
import { useDrafts } from '@/stores/drafts';
import { useModal } from '@/stores/modal';
import { usePaymentSourceDetails } from '@/stores/paymentSourceDetails';

/** Ends the session here at once, and at the server: what fails there lapses there by itself. */
export function logout(): void {
  const ended = post('/api/auth/logout');
  useAuth.getState().signOut();
  ended.catch(() => undefined);
}

/** Forgets what the server said about one subscriber as soon as the token goes or changes. */
export function forgetOnSignOut(queryClient: QueryClient): () => void {
  return useAuth.subscribe((now, before) => {
    if (now.token === before.token) return;
    queryClient.removeQueries({ queryKey: keys.account.all });
    useCart.getState().clear();
    useBillingDetails.getState().clear();
    usePaymentSourceDetails.getState().clear();
    // What was entered waits for its subscriber where the session expired, and for nobody else.
    if (now.ended !== 'expired') useDrafts.getState().retain(now.email);
    useAlert.getState().close();
    useModal.getState().close();
  });
}
