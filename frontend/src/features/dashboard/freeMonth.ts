import { queryOptions, useQueryClient } from '@tanstack/react-query';

import { keys } from '@/lib/api/queries';
import type { FreeMonthOffer } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { hasCode } from '@/lib/errors';
import { get, post } from '@/lib/http';
import { usePlansAfterChange } from '@/lib/planChanges';

/** Whether one may have a free month now, and what it would do. In the account's branch: changes bear on it. */
export const freeMonthOptions = queryOptions({
  queryKey: [...keys.account.all, 'free-month'],
  queryFn: ({ signal }) => get<FreeMonthOffer>('/api/account/claim-my-offer/estimate', { signal }),
});

/** Whether a refusal brings new figures along. */
function isOffer(body: unknown): body is FreeMonthOffer {
  const { eligible, quote, plans } = (body ?? {}) as Record<string, unknown>;
  return typeof eligible === 'boolean' && typeof quote === 'string' && Array.isArray(plans);
}

/** Claims the free month as it was shown. New figures in a refusal take the place of those shown. */
export function useClaim(onClaimed: (claimed: FreeMonthOffer) => void) {
  const client = useQueryClient();
  const { settled, stale } = usePlansAfterChange();
  return useCommand<FreeMonthOffer, { quote: string }>(
    (body, idempotencyKey) =>
      post<FreeMonthOffer>('/api/account/claim-my-offer', { body, idempotencyKey }),
    {
      onSuccess: async (claimed) => {
        onClaimed(claimed);
        await settled();
      },
      onError: (error) => {
        if (hasCode(error, 'quote_changed') && isOffer(error.body)) {
          client.setQueryData(freeMonthOptions.queryKey, error.body);
        } else {
          stale();
        }
      },
    },
  );
}
