import type { Invoice } from '@/lib/api/types';

/** An invoice's state as it is read (`PAYMENT_DUE` is `PAYMENT DUE`), and whether nothing is left to pay. */
export function invoiceStatus({ status }: Pick<Invoice, 'status'>): {
  words: string;
  isPaid: boolean;
} {
  const words = status.toUpperCase().replaceAll('_', ' ');
  return { words, isPaid: words === 'PAID' };
}
