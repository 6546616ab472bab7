import { queryOptions } from '@tanstack/react-query';

import type {
  Account,
  Invoice,
  ManagePlans,
  PaymentFailure,
  Payments,
  Site,
} from '@/lib/api/types';
import { get } from '@/lib/http';

/** Keys from broad to narrow: invalidating `account.all` refreshes everything of the subscriber. */
export const keys = {
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

/** Brand, services and switches; the same for everybody on this host. */
export const siteOptions = queryOptions({
  queryKey: keys.site,
  queryFn: ({ signal }) => get<Site>('/api/site', { signal }),
  staleTime: FIVE_MINUTES,
});

export const accountOptions = queryOptions({
  queryKey: keys.account.detail,
  queryFn: ({ signal }) => get<Account>('/api/account', { signal }),
});

export const managePlansOptions = queryOptions({
  queryKey: keys.account.managePlans,
  queryFn: ({ signal }) => get<ManagePlans>('/api/account/manage-plans', { signal }),
});

export const paymentFailureOptions = queryOptions({
  queryKey: keys.account.paymentFailure,
  queryFn: ({ signal }) => get<PaymentFailure>('/api/account/check-payment-failure', { signal }),
});

/** Newest first. */
export const invoicesOptions = queryOptions({
  queryKey: keys.account.invoices,
  queryFn: ({ signal }) => get<Invoice[]>('/api/invoice/list', { signal }),
});

/** The cards and PayPal accounts kept, and what is due. */
export const paymentsOptions = queryOptions({
  queryKey: keys.account.payments,
  queryFn: ({ signal }) => get<Payments>('/api/payments/', { signal }),
});
