import { isEnding, isPaused } from '@/domain/plans/plans';
import type { NextBill, Plan } from '@/lib/api/types';
import { formatCents, formatDate, formatList, formatPrice } from '@/lib/formats';

/** One formatted row about what is billed on a day. */
export interface BillRow {
  key: string;
  label: string;
  /** Omitted while the amount is not known. */
  amount?: string;
  note?: string;
  kind: 'bill';
}

/** What one payment method pays on one day: a bill or more. */
export interface DayBills {
  key: string;
  date: string;
  bills: readonly NextBill[];
  /** The ids of the subscriptions. */
  subIds: readonly string[];
  planNames: readonly string[];
  /** The sum, or null while an amount is not known. */
  amount: number | null;
}

/** A plan that is or might be billed. */
export type BillablePlan = Pick<Plan, 'status' | 'hasScheduledPause'>;

/**
 * Said of these plans if nothing is scheduled to bill; a paused one bills when it is resumed, and
 * what is overdue for them, if anything, is still collected.
 */
export function noBillsSentence(
  plans: readonly BillablePlan[],
  overdue: string | null = null,
): string {
  if (plans.some(billsOnResume)) return 'No bill is scheduled.';
  const exception = overdue ? `, except for the ${overdue} you still owe` : '';
  return `You won’t be billed again${exception}.`;
}

/** Customer service can schedule a pause without an end. */
function billsOnResume(plan: BillablePlan): boolean {
  return isPaused(plan) || (plan.hasScheduledPause && !isEnding(plan));
}

/** Whether an amount is still to come from the provider. */
export function isAwaitingAmount(bills: readonly NextBill[]): boolean {
  return bills.some(({ amount }) => amount === null);
}

/** The bills by day, in their order; what is paid in two ways or currencies is not added up. */
export function groupByDay(bills: readonly NextBill[]): DayBills[] {
  const days = new Map<string, NextBill[]>();
  for (const bill of bills) {
    const key = dayKey(bill);
    days.set(key, [...(days.get(key) ?? []), bill]);
  }
  return [...days].map(([key, ofDay]) => ({
    key,
    date: ofDay[0]?.date ?? '',
    bills: ofDay,
    subIds: ofDay.flatMap(({ plans }) => plans),
    planNames: ofDay.flatMap(({ planNames }) => planNames),
    amount: isAwaitingAmount(ofDay)
      ? null
      : ofDay.reduce((cents, { amount }) => cents + (amount ?? 0), 0),
  }));
}

function dayKey(bill: NextBill): string {
  const { date, follows, currencyCode, tax, period, periodUnit, paymentSource } = bill;
  // What follows is a price per period, and is added up only for the same period.
  const terms = follows ? ['from', period, periodUnit] : ['on'];
  return [...terms, formatDate(date), currencyCode, tax, JSON.stringify(paymentSource)].join();
}

/**
 * The bills to come of plans by day: the next ones and, where they differ, what follows. The parts of a sum
 * are its note; plans are named if not all are billed on that day. Without a bill, the row says what is
 * overdue for the plans.
 */
export function billRows(
  bills: readonly NextBill[],
  plans: readonly BillablePlan[],
  overdue: string | null = null,
): BillRow[] {
  if (bills.length === 0) {
    return [{ key: 'no-bill', label: noBillsSentence(plans, overdue), kind: 'bill' }];
  }
  const isShared = countPlans(bills) > 1;
  return groupByDay(bills).map((day) => {
    const label = `${isFollowing(day) ? 'From' : 'Next bill,'} ${formatDate(day.date)}`;
    const isSum = day.bills.length > 1;
    const note = [isSum && dayParts(day), taxNote(day)].filter(Boolean).join(', ');
    return {
      key: day.key,
      label: isShared && !isSum ? `${label}: ${formatList(day.planNames)}` : label,
      ...(day.amount !== null && { amount: formatDayAmount(day) }),
      ...(note && { note }),
      kind: 'bill',
    };
  });
}

interface SentenceOptions {
  /** Names the plans of each next bill, because the account may have more plans than the bills. */
  isNamed?: boolean;
  /** The plans that are or might be billed. */
  plans?: readonly BillablePlan[];
}

/**
 * The bills to come as sentences, each with its date and, once it is known, its amount. The plans of
 * a next bill are named if others are billed on another day.
 */
export function billSentences(
  bills: readonly NextBill[],
  { isNamed = false, plans = [] }: SentenceOptions = {},
): string[] {
  if (bills.length === 0) return [noBillsSentence(plans)];
  const planCount = countPlans(bills);
  return groupByDay(bills).map((day) => {
    const hasNames = isNamed || new Set(day.planNames).size < planCount;
    const cost = [day.amount !== null && formatDayAmount(day), taxNote(day)]
      .filter(Boolean)
      .join(' ');
    const parts = day.bills.length > 1 ? ` (${dayParts(day)})` : '';
    const date = formatDate(day.date);
    const names = formatList(day.planNames);
    if (isFollowing(day)) {
      const are = day.planNames.length > 1 ? 'are' : 'is';
      return `From ${date}, ${planCount > 1 ? `${names} ${are}` : 'it is'} ${cost}${parts}.`;
    }
    const subject = hasNames ? `Your next bill for ${names}` : 'Your next bill';
    return `${subject} is ${cost && `${cost} `}on ${date}${parts}.`;
  });
}

/** What a sum is made of: `Faith & Family $6.29, Gospel TV $7.19`. */
export function dayParts({ bills }: DayBills): string {
  return bills
    .map((bill) => [formatList(bill.planNames), formatBillAmount(bill)].filter(Boolean).join(' '))
    .join(', ');
}

/** The amount of a day, as a price for what follows: `$13.48`, `$13.48 / month`. */
export function formatDayAmount(day: DayBills): string {
  const [first] = day.bills;
  if (!first || day.amount === null) return '';
  return first.follows
    ? formatPrice(day.amount, first)
    : formatCents(day.amount, first.currencyCode);
}

/** Said after an amount that taxes are added to; empty for one that includes them. */
export function taxNote({ bills }: DayBills): string {
  return bills.some(({ tax }) => tax === 'before') ? 'and applicable taxes' : '';
}

function formatBillAmount({ amount, currencyCode }: NextBill): string {
  return amount === null ? '' : formatCents(amount, currencyCode);
}

function isFollowing({ bills }: DayBills): boolean {
  return bills.some(({ follows }) => follows);
}

function countPlans(bills: readonly NextBill[]): number {
  return new Set(bills.flatMap(({ planNames }) => planNames)).size;
}
