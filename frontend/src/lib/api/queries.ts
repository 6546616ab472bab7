import { queryOptions } from '@tanstack/react-query';
import { applySite } from '@/lib/site';
import { getJson } from './http';
import type {
  Account,
  CancelScreen,
  Invoice,
  ManagePlans,
  PaymentFailure,
  Payments,
  Site,
} from './types';

/**
 * Query keys from broad to narrow: invalidating `account.all` refetches everything of the
 * subscriber.
 */
export const queryKeys = {
  site: ['site'] as const,
  account: {
    all: ['account'] as const,
    detail: ['account', 'detail'] as const,
    managePlans: ['account', 'manage-plans'] as const,
    paymentFailure: ['account', 'payment-failure'] as const,
    invoices: ['account', 'invoices'] as const,
    payments: ['account', 'payments'] as const,
  },
};

const FIVE_MINUTES = 5 * 60 * 1000;

/** Brand, services and feature switches; the same for every visitor of this host. */
export const siteOptions = queryOptions({
  queryKey: queryKeys.site,
  queryFn: async ({ signal }) => applySite(await getJson<Site>('/api/site', { signal })),
  staleTime: FIVE_MINUTES,
});

/** What operators arrange on the cancel screen: the survey's answers and the pause offers. */
export const cancelScreenOptions = queryOptions({
  queryKey: [...queryKeys.account.all, 'cancel-screen'],
  queryFn: ({ signal }) => getJson<CancelScreen>('/api/account/cancel-screen', { signal }),
});

/** Until the amounts of the next bills have come, asks again, less and less often. */
export function untilAmountsAreKnown({ state }: { state: BillsState }): number | false {
  const bills = state.data?.nextBills ?? [];
  if (bills.every(({ amount }) => amount !== null)) return false;
  return Math.min(2_000 * state.dataUpdateCount, 60_000);
}

interface BillsState {
  data: Pick<Account, 'nextBills'> | undefined;
  dataUpdateCount: number;
}

export const accountOptions = queryOptions({
  queryKey: queryKeys.account.detail,
  queryFn: ({ signal }) => getJson<Account>('/api/account', { signal }),
  refetchInterval: untilAmountsAreKnown,
});

export const managePlansOptions = queryOptions({
  queryKey: queryKeys.account.managePlans,
  queryFn: ({ signal }) => getJson<ManagePlans>('/api/account/manage-plans', { signal }),
  refetchInterval: untilAmountsAreKnown,
});

export const paymentFailureOptions = queryOptions({
  queryKey: queryKeys.account.paymentFailure,
  queryFn: ({ signal }) =>
    getJson<PaymentFailure>('/api/account/check-payment-failure', { signal }),
});

/** Newest first. */
export const invoicesOptions = queryOptions({
  queryKey: queryKeys.account.invoices,
  queryFn: ({ signal }) => getJson<Invoice[]>('/api/invoice/list', { signal }),
});

/** The stored cards and PayPal accounts, and the amount due. */
export const paymentsOptions = queryOptions({
  queryKey: queryKeys.account.payments,
  queryFn: ({ signal }) => getJson<Payments>('/api/payments/', { signal }),
});
