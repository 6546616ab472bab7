import type { QueryClient } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import { post } from '@/lib/http';
import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useCart } from '@/stores/cart';
import { useModal } from '@/stores/modal';

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
    useAlert.getState().close();
    useModal.getState().close();
  });
}
