import type { NextBill } from '@/lib/api/types';
import { formatCents, formatDate, formatPrice } from '@/lib/formats';

/** One formatted row about a bill to come. */
export interface BillRow {
  key: string;
  label: string;
  /** Omitted while the amount is not known. */
  amount?: string;
  note?: string;
  kind: 'bill';
}

/** Said where nothing is scheduled to bill. */
export const NO_MORE_BILLS = 'You won’t be billed again.';

/** Whether an amount is still to come from the provider. */
export function isAwaitingAmount(bills: readonly NextBill[]): boolean {
  return bills.some(({ amount }) => amount === null);
}

/**
 * The bills to come by date: of each plan the next one and, where it differs, what follows. Plans
 * are named if there are several.
 */
export function billRows(bills: readonly NextBill[]): BillRow[] {
  if (bills.length === 0) return [{ key: 'no-bill', label: NO_MORE_BILLS, kind: 'bill' }];
  const isShared = new Set(bills.map(planNames)).size > 1;
  return bills.map((bill) => {
    const label = `${bill.follows ? 'From' : 'Next bill,'} ${formatDate(bill.date)}`;
    return {
      key: `${bill.date}-${planNames(bill)}`,
      label: isShared ? `${label}: ${planNames(bill)}` : label,
      ...amountOf(bill),
      kind: 'bill',
    };
  });
}

function amountOf(bill: NextBill): Pick<BillRow, 'amount' | 'note'> {
  if (bill.amount === null) return {};
  const amount = bill.follows
    ? formatPrice(bill.amount, bill)
    : formatCents(bill.amount, bill.currencyCode);
  return { amount, ...(bill.tax === 'before' && { note: 'and applicable taxes' }) };
}

/** The bills to come as sentences, each with its date and, once it is known, its amount. */
export function billSentences(bills: readonly NextBill[]): string[] {
  if (bills.length === 0) return [NO_MORE_BILLS];
  const isShared = new Set(bills.map(planNames)).size > 1;
  return bills.map((bill) => {
    const { amount, note } = amountOf(bill);
    const cost = [amount, note].filter(Boolean).join(' ');
    const date = formatDate(bill.date);
    if (bill.follows) return `From ${date}, ${isShared ? planNames(bill) : 'it'} is ${cost}.`;
    const subject = isShared ? `Your next bill for ${planNames(bill)}` : 'Your next bill';
    return `${subject} is ${cost && `${cost} `}on ${date}.`;
  });
}

/** `Faith & Family`. */
export function planNames({ planNames }: NextBill): string {
  return planNames.join(', ');
}
