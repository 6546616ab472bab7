import { useQuery } from '@tanstack/react-query';
import {
  type BillablePlan,
  type DayBills,
  dayParts,
  formatDayAmount,
  groupByDay,
  isAwaitingAmount,
  noBillsSentence,
  taxNote,
} from '@/domain/costs/nextBills';
import { cardBrandName } from '@/domain/payments/CardBrandMark';
import { defaultSource } from '@/domain/payments/paymentSources';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { paymentsOptions } from '@/lib/api/queries';
import type { NextBill, Plan } from '@/lib/api/types';
import { formatCount } from '@/lib/formatCount';
import {
  calendarDaysUntil,
  formatCents,
  formatDate,
  formatList,
  formatWeekday,
} from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Card } from '@/ui/layout/Card';
import { Skeleton } from '@/ui/loading/Skeleton';
import { TextLink } from '@/ui/navigation/TextLink';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './NextBillCard.module.css';

interface NextBillCardProps {
  bills: readonly NextBill[];
  /** The bills are older than a change. */
  isOutdated?: boolean;
  /** The plans that they are for. */
  plans: readonly (BillablePlan & Pick<Plan, 'subId'>)[];
  /** What credits pay of the bills, in cents of `creditCurrency`. */
  creditBalance?: number;
  creditCurrency?: string;
}

/** What is billed next, when and to which payment method, and what follows where it differs. */
export function NextBillCard({ isOutdated = false, ...props }: NextBillCardProps) {
  return isOutdated ? <NextBillSkeleton /> : <NextBills {...props} />;
}

/** One bill and what pays it. */
function NextBillSkeleton() {
  return (
    <Card as="section" labelledBy="next-bill" className={styles.card}>
      <h2 id="next-bill" className={styles.heading}>
        Your next bill
      </h2>
      <Skeleton width="15rem" height="calc(var(--text-xl) * var(--leading-tight))" />
      <Skeleton width="10rem" />
    </Card>
  );
}

function NextBills({
  bills,
  plans,
  creditBalance = 0,
  creditCurrency,
}: Omit<NextBillCardProps, 'isOutdated'>) {
  const next = bills.filter(({ follows }) => !follows);
  const days = groupByDay(next);
  const isSeveral = next.length > 1;
  const { data: payments } = useQuery(paymentsOptions);
  const overdue = useOverdueAmount(plans);
  const hasMethod = payments && defaultSource(payments) !== undefined;
  const methodPhrase = (bill: NextBill | undefined) =>
    bill?.paymentSource ? sourcePhrase(bill.paymentSource) : missingPhrase(hasMethod);
  const hasOneMethod = new Set(next.map(methodPhrase)).size === 1;
  return (
    <Card as="section" labelledBy="next-bill" className={styles.card}>
      <h2 id="next-bill" className={styles.heading}>
        {days.length > 1 ? 'Your next bills' : 'Your next bill'}
      </h2>
      <div role="status" className={styles.bills} aria-busy={isAwaitingAmount(bills)}>
        {next.length === 0 && <p className={styles.amount}>{noBillsSentence(plans, overdue)}</p>}
        {days.map((day) => (
          <BillsOfDay
            key={day.key}
            day={day}
            isNamed={isSeveral}
            method={hasOneMethod ? undefined : methodPhrase(day.bills[0])}
            later={laterBills(bills, day)}
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
            {next[0]?.paymentSource || hasMethod !== false
              ? 'Change payment method'
              : 'Add a payment method'}
          </TextLink>
        </p>
      )}
    </Card>
  );
}

interface BillsOfDayProps {
  day: DayBills;
  /** Whether the plans are named, because there are several bills. */
  isNamed: boolean;
  /** What pays them, unless all bills have one payment method. */
  method: string | undefined;
  later: readonly DayBills[];
}

function BillsOfDay({ day, isNamed, method, later }: BillsOfDayProps) {
  const when = `on ${unbrokenWords(formatWeekday(day.date))}, ${unbrokenWords(whenPhrase(day.date))}`;
  const isSum = day.bills.length > 1;
  return (
    <div>
      <p className={styles.bill}>
        {day.amount === null ? (
          // As large as the amount, so that nothing moves when it comes.
          <Skeleton width="5.5rem" height="calc(var(--text-xl) * var(--leading-tight))" />
        ) : (
          <strong className={styles.amount}>{formatDayAmount(day)}</strong>
        )}{' '}
        <span>
          <UnbrokenDates>
            {isNamed && !isSum ? `for ${formatList(day.planNames)} ${when}` : when}
          </UnbrokenDates>
          {day.amount !== null && ` ${taxNote(day)}`}
        </span>
      </p>
      {isSum && <p className={styles.later}>{dayParts(day)}</p>}
      {method && <p className={styles.later}>{method}</p>}
      {later.map((following) => (
        <p key={following.key} className={styles.later}>
          <UnbrokenDates>
            {`From ${formatDate(following.date)}: ${isNamed ? `${formatList(following.planNames)} ` : ''}${formatDayAmount(following)} ${taxNote(following)}`.trimEnd()}
          </UnbrokenDates>
        </p>
      ))}
    </div>
  );
}

function whenPhrase(date: string): string {
  const days = calendarDaysUntil(date);
  if (days <= 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${formatCount(days, 'day')}`;
}

/** Keeps a number on one line with the words beside it: `December 9`, `in 12 days`. */
function unbrokenWords(words: string): string {
  return words.replaceAll(/ (?=\d)|(?<=\d) /g, '\u00a0');
}

/** What follows the bills of a day for the same subscriptions. */
function laterBills(bills: readonly NextBill[], { subIds }: DayBills): DayBills[] {
  const following = bills.filter(
    (bill) => bill.follows && bill.plans.every((subId) => subIds.includes(subId)),
  );
  return groupByDay(following);
}

/**
 * Why nothing pays a bill: customer service can let it be paid by hand, whatever the account has.
 * Nothing while that is not known.
 */
function missingPhrase(hasMethod: boolean | undefined): string | undefined {
  if (hasMethod === undefined) return undefined;
  return hasMethod ? 'Not charged automatically' : 'No payment method yet';
}

/** `To Visa •••• 1111`. */
function sourcePhrase(source: NonNullable<NextBill['paymentSource']>): string {
  if (source.last4) {
    const name = source.type === 'CARD' ? cardBrandName(source.brand) : source.typeName;
    return `To ${name} •••• ${source.last4}`;
  }
  return `To ${source.typeName}${source.account ? `, ${source.account}` : ''}`;
}
