import type { Invoice } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';

/**
 * How an invoice's total was paid, where it was not one charge of the total: `$6.12 paid from
 * credit`, `$83.87 charged`.
 */
export function partialPayments({ total, credits, charged, currencyCode }: Invoice): string[] {
  if (charged === total) return [];
  return [
    ...(credits > 0 ? [`${formatCents(credits, currencyCode)} paid from credit`] : []),
    ...(charged > 0 ? [`${formatCents(charged, currencyCode)} charged`] : []),
  ];
}
