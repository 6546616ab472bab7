import { isAwaitingAmount, NO_MORE_BILLS, planNames } from '@/domain/costs/nextBills';
import { cardBrandName } from '@/domain/payments/CardBrandMark';
import type { NextBill } from '@/lib/api/types';
import {
  daysLeft,
  formatCents,
  formatCount,
  formatDate,
  formatPrice,
  formatWeekday,
} from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Card } from '@/ui/Card';
import { TextLink } from '@/ui/TextLink';
import { UnbrokenDates } from '@/ui/UnbrokenDates';
import styles from './NextBillCard.module.css';

interface NextBillCardProps {
  bills: readonly NextBill[];
  /** What credits pay of the bills, in cents of `creditCurrency`. */
  creditBalance?: number;
  creditCurrency?: string;
}

/** What is billed next, when and to which payment method, and what follows where it differs. */
export function NextBillCard({ bills, creditBalance = 0, creditCurrency }: NextBillCardProps) {
  const next = bills.filter(({ follows }) => !follows);
  const days = groupByDay(next);
  const isSeveral = next.length > 1;
  const hasOneMethod = new Set(next.map(methodPhrase)).size === 1;
  return (
    <Card as="section" labelledBy="next-bill" className={styles.card}>
      <h2 id="next-bill" className={styles.heading}>
        {days.length > 1 ? 'Your next bills' : 'Your next bill'}
      </h2>
      <div role="status" className={styles.bills} aria-busy={isAwaitingAmount(bills)}>
        {next.length === 0 && <p className={styles.amount}>{NO_MORE_BILLS}</p>}
        {days.map((ofDay) => (
          <BillsOfDay
            key={ofDay.map(billKey).join()}
            bills={ofDay}
            isNamed={isSeveral}
            method={hasOneMethod ? undefined : methodPhrase(ofDay[0])}
            later={bills.filter((bill) => bill.follows && ofDay.some(isOfSamePlans(bill)))}
          />
        ))}
      </div>
      {creditBalance > 0 && (
        <p className={styles.later}>
          You have {formatCents(creditBalance, creditCurrency)} in credit.{' '}
          {next.length > 0
            ? 'The amounts shown already count it.'
            : 'It pays your next bills automatically.'}
        </p>
      )}
      {next.length > 0 && (
        <p className={styles.method}>
          {hasOneMethod && <span>{methodPhrase(next[0])}</span>}
          <TextLink to={paths.paymentMethods}>
            {next[0]?.paymentSource ? 'Change payment method' : 'Add a payment method'}
          </TextLink>
        </p>
      )}
    </Card>
  );
}

const billKey = (bill: NextBill) => `${bill.date}-${planNames(bill)}`;

const isOfSamePlans = (bill: NextBill) => (other: NextBill) => planNames(other) === planNames(bill);

/** Bills of one day, currency and payment method, which are shown as one sum. */
function groupByDay(bills: readonly NextBill[]): NextBill[][] {
  const days = new Map<string, NextBill[]>();
  for (const bill of bills) {
    const day = [formatDate(bill.date), bill.currencyCode, bill.tax, methodPhrase(bill)].join();
    days.set(day, [...(days.get(day) ?? []), bill]);
  }
  return [...days.values()];
}

interface BillsOfDayProps {
  /** At least one; they are paid on one day with one method. */
  bills: readonly NextBill[];
  /** Whether the plans are named, because there are several bills. */
  isNamed: boolean;
  /** What pays them, unless all bills have one payment method. */
  method: string | undefined;
  later: readonly NextBill[];
}

function BillsOfDay({ bills, isNamed, method, later }: BillsOfDayProps) {
  const [first] = bills;
  if (!first) return null;
  const isKnown = bills.every(({ amount }) => amount !== null);
  const sum = bills.reduce((cents, { amount }) => cents + (amount ?? 0), 0);
  const day = `on ${formatWeekday(first.date)}, ${whenPhrase(first.date)}`;
  const isSum = bills.length > 1;
  return (
    <div>
      <p className={styles.bill}>
        {isKnown && (
          <strong className={styles.amount}>{formatCents(sum, first.currencyCode)}</strong>
        )}{' '}
        <UnbrokenDates>{isNamed && !isSum ? `for ${planNames(first)} ${day}` : day}</UnbrokenDates>
        {isKnown && first.tax === 'before' && ' and applicable taxes'}
      </p>
      {isSum && <p className={styles.later}>{bills.map(partPhrase).join(', ')}</p>}
      {method && <p className={styles.later}>{method}</p>}
      {later.map((bill) => (
        <p key={billKey(bill)} className={styles.later}>
          <UnbrokenDates>
            {`From ${formatDate(bill.date)}: ${isNamed ? `${planNames(bill)} ` : ''}${formatPrice(
              bill.amount ?? 0,
              bill,
            )}${bill.tax === 'before' ? ' and applicable taxes' : ''}`}
          </UnbrokenDates>
        </p>
      ))}
    </div>
  );
}

/** `Faith & Family $6.29`. */
function partPhrase(bill: NextBill): string {
  if (bill.amount === null) return planNames(bill);
  return `${planNames(bill)} ${formatCents(bill.amount, bill.currencyCode)}`;
}

function whenPhrase(date: string): string {
  const days = daysLeft(date);
  return days <= 0 ? 'today' : `in ${formatCount(days, 'day')}`;
}

/** `To Visa •••• 1111`. */
function methodPhrase(bill: NextBill | undefined): string {
  const source = bill?.paymentSource;
  if (!source) return 'No payment method yet';
  if (source.last4) {
    const name = source.type === 'CARD' ? cardBrandName(source.brand) : source.typeName;
    return `To ${name} •••• ${source.last4}`;
  }
  return `To ${source.typeName}${source.account ? `, ${source.account}` : ''}`;
}
