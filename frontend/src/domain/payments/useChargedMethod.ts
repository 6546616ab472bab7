import { useQuery } from '@tanstack/react-query';
import { paymentsOptions } from '@/lib/api/queries';
import type { NextBill } from '@/lib/api/types';
import { formatList } from '@/lib/formats';
import { sourceName } from './methodNames';
import { defaultSource, listSources } from './paymentSources';

/**
 * The name of what pays a charge: the payment methods of the charged plans' bills, and the default
 * where a bill names none. Null until it is known.
 */
export function useChargedMethod(bills: readonly NextBill[]): string | null {
  const { data: payments } = useQuery(paymentsOptions);
  if (!payments) return null;
  const sources = listSources(payments);
  const charged = (bills.length > 0 ? bills : [null]).map(
    (bill) =>
      sources.find(
        ({ paymentSourceId }) => paymentSourceId === bill?.paymentSource?.paymentSourceId,
      ) ?? defaultSource(payments),
  );
  const names = charged.flatMap((source) => (source ? [sourceName(source)] : []));
  return names.length > 0 ? formatList([...new Set(names)]) : null;
}
