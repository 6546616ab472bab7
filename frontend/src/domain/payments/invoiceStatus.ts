import type { Invoice } from '@/lib/api/types';

/**
 * The display label of an invoice's status (`PAYMENT DUE` for `PAYMENT_DUE`), and whether it is
 * paid.
 */
export function invoiceStatus({ status }: Pick<Invoice, 'status'>): {
  label: string;
  isPaid: boolean;
} {
  const label = status.toUpperCase().replaceAll('_', ' ');
  return { label, isPaid: label === 'PAID' };
}
