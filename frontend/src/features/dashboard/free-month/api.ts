import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { usePlansAfterChange } from '@/domain/changes/usePlansAfterChange';
import { hasCode } from '@/lib/api/errors';
import { getJson, postJson } from '@/lib/api/http';
import { queryKeys } from '@/lib/api/queries';
import type { FreeMonthOffer } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';

/**
 * Whether the subscriber is eligible for a free month, and its effect. In the account's query
 * branch, because changes affect it.
 */
export const freeMonthOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'free-month'],
  queryFn: ({ signal }) =>
    getJson<FreeMonthOffer>('/api/account/claim-my-offer/estimate', { signal }),
});

/** Whether an error response contains new figures. */
function isFreeMonthOffer(body: unknown): body is FreeMonthOffer {
  const { eligible, quote, plans } = (body ?? {}) as Record<string, unknown>;
  return typeof eligible === 'boolean' && typeof quote === 'string' && Array.isArray(plans);
}

/** Claims the free month as quoted. New figures in an error response replace the shown ones. */
export function useClaimFreeMonth(onClaimed: (claimed: FreeMonthOffer) => void) {
  const client = useQueryClient();
  const { refetchPlans } = usePlansAfterChange();
  return useCommand<FreeMonthOffer, { quote: string }>(
    (body, idempotencyKey) =>
      postJson<FreeMonthOffer>('/api/account/claim-my-offer', { body, idempotencyKey }),
    {
      onSuccess: async (claimed) => {
        onClaimed(claimed);
        await refetchPlans();
      },
      onError: (error) => {
        if (hasCode(error, 'quote_changed') && isFreeMonthOffer(error.body)) {
          client.setQueryData(freeMonthOptions.queryKey, error.body);
        }
      },
    },
  );
}
