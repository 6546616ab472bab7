import type { Invoice } from '@/lib/api/types';
import { formatCents, formatList } from '@/lib/formats';

/**
 * How an invoice's total was paid, where it was not one charge of the total: `$6.12 paid from
 * credit`, `$83.87 charged`, `$191.18 charged together with 1002`.
 */
export function partialPayments(invoice: Invoice): string[] {
  const { total, credits, charged, paymentTotal, paidTogether, currencyCode } = invoice;
  const parts =
    charged === total
      ? []
      : [
          ...(credits > 0 ? [`${formatCents(credits, currencyCode)} paid from credit`] : []),
          ...(charged > 0 ? [`${formatCents(charged, currencyCode)} charged`] : []),
        ];
  if (paymentTotal === null) return parts;
  const payment = formatCents(paymentTotal, currencyCode);
  return [...parts, `${payment} charged together with ${formatList(paidTogether)}`];
}
