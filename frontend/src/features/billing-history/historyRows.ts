import type { CreditNote, Invoice } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';

/** A row of the billing history: an invoice, or what was refunded or credited of the one above it. */
export interface HistoryRow {
  key: string;
  invoice: Invoice;
  note?: CreditNote;
}

/** Each invoice with its credit notes below it. */
export function historyRows(invoices: readonly Invoice[]): HistoryRow[] {
  return invoices.flatMap((invoice) => [
    { key: invoice.number, invoice },
    ...invoice.creditNotes.map((note) => ({ key: `note ${note.number}`, invoice, note })),
  ]);
}

/** What the status column says of a credit note. */
export const NOTE_LABELS: Record<CreditNote['kind'], string> = {
  REFUNDED: 'REFUNDED',
  CREDITED: 'CREDITED',
  ADJUSTED: 'TAKEN OFF',
};

/** What became of a credit note that went to no payment method. */
export function noteOutcome({ kind, amount, left, currencyCode }: CreditNote): string {
  if (kind === 'REFUNDED') return 'Refunded';
  if (kind === 'ADJUSTED') return 'Lowered what was due';
  if (left === 0) return 'Paid other bills';
  if (left === amount) return 'Pays your next bills';
  return `${formatCents(left, currencyCode)} left for your next bills`;
}
