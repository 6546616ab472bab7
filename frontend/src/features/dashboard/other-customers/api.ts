import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { getJson, postJson } from '@/lib/api/http';
import { notifyError } from '@/lib/api/notifyError';
import { queryKeys } from '@/lib/api/queries';
import type { OtherCustomer } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { useCart } from '@/stores/cart';
import { showSnackbar } from '@/stores/snackbar';

/** The further customers of the account's email address, newest first. */
export const otherCustomersOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'others'],
  queryFn: ({ signal }) => getJson<OtherCustomer[]>('/api/account/others', { signal }),
});

/** Continues the session in another customer of the address, and loads everything of it. */
export function useSwitchCustomer() {
  const queryClient = useQueryClient();
  return useCommand(
    (customerId: string) => postJson<void>('/api/account/others/switch', { body: { customerId } }),
    {
      onSuccess: () => {
        // The token stays, so nothing else clears what was selected for the previous customer.
        useCart.getState().clear();
        showSnackbar('You switched accounts.', 'success');
        // It is a new screen: the button that was pressed is gone, and the top has changed.
        document.querySelector('h1')?.focus({ preventScroll: true });
        window.scrollTo(0, 0);
        return queryClient.resetQueries({ queryKey: queryKeys.account.all });
      },
      onError: (error) => notifyError(error),
    },
  );
}
