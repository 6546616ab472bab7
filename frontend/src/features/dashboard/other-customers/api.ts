import { queryOptions } from '@tanstack/react-query';
import { getJson, postJson } from '@/lib/api/http';
import { notifyError } from '@/lib/api/notifyError';
import { queryKeys } from '@/lib/api/queries';
import type { OtherCustomer } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { notifyOtherTabsOfSwitch } from '@/lib/page/otherTabs';
import { useAuth } from '@/stores/auth';
import { showSnackbar } from '@/stores/snackbar';
import { useNextHeadingFocus } from '@/ui/layout/PageHeading';

/** The further customers of the account's email address, newest first. */
export const otherCustomersOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'others'],
  queryFn: ({ signal }) => getJson<OtherCustomer[]>('/api/account/others', { signal }),
});

/**
 * Continues the session in another customer of the address, in all tabs. Nothing of the previous one
 * stays: neither this screen nor this mutation, which remains pending.
 */
export function useSwitchCustomer() {
  const focusNextHeading = useNextHeadingFocus();
  return useCommand(
    async (customerId: string) => {
      await postJson<void>('/api/account/others/switch', { body: { customerId } });
      // The button that was pressed is gone, and the top has changed.
      focusNextHeading();
      window.scrollTo(0, 0);
      useAuth.getState().switchCustomer();
      notifyOtherTabsOfSwitch();
      showSnackbar('You switched accounts.', 'success');
    },
    { onError: (error) => notifyError(error) },
  );
}
