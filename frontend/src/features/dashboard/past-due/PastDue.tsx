import { useQuery } from '@tanstack/react-query';
import { PaidWith } from '@/domain/payments/PaidWith';
import {
  addAddress,
  bankPaymentAddress,
  defaultSource,
  lastFourDigits,
  sourceKind,
} from '@/domain/payments/paymentSources';
import { isWatchable } from '@/domain/plans/plans';
import { paymentFailureOptions, paymentsOptions } from '@/lib/api/queries';
import type { FailedPayment, Plan } from '@/lib/api/types';
import { calendarDaysUntil, formatCents, formatDate, formatList } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { Card } from '@/ui/layout/Card';
import styles from './PastDue.module.css';

const REASONS: Record<FailedPayment['reason'], string> = {
  insufficient_funds: 'There wasn’t enough money in the account.',
  expired_card: 'The card has expired.',
  confirmation_needed: 'Your bank needs you to confirm the payment.',
  declined: 'Your bank declined the payment. It can tell you why.',
};

/** The failed payments: what is owed, why, what happens next, and the ways to pay. */
export function PastDue({ plans }: { plans: readonly Plan[] }) {
  const { data: failure } = useQuery(paymentFailureOptions);
  return failure?.failedPayments.map((failed) => (
    <FailedPaymentCard key={failed.number} failed={failed} plans={plans} />
  ));
}

interface FailedPaymentCardProps {
  failed: FailedPayment;
  plans: readonly Plan[];
}

function FailedPaymentCard({ failed, plans }: FailedPaymentCardProps) {
  const amount = formatCents(failed.amountDue, failed.currencyCode);
  const headingId = `past-due-${failed.number}`;
  return (
    <Card as="section" labelledBy={headingId} className={styles.due}>
      <div className={styles.head}>
        <AlertIcon />
        <h2 id={headingId}>
          You owe {amount}
          {failed.plans.length > 0 && ` for ${formatList(failed.plans)}`}
        </h2>
      </div>
      {failed.paymentSourceType && (
        <p className={styles.method}>
          Not paid with <PaidWith {...failed} />
        </p>
      )}
      <p>
        {REASONS[failed.reason]} {nextSentence(failed, plans)}
      </p>
      <WaysToPay failed={failed} />
    </Card>
  );
}

/** When it is tried again, and whether one can watch meanwhile. */
function nextSentence({ nextRetryAt, subIds }: FailedPayment, plans: readonly Plan[]): string {
  const unpaid = plans.filter(({ subId }) => subIds.includes(subId));
  if (nextRetryAt === null) return 'We won’t try again on our own.';
  const retry = `We’ll try again ${retryPhrase(nextRetryAt)}.`;
  if (!unpaid.some((plan) => isWatchableUntil(plan, nextRetryAt))) return retry;
  return `${retry} You can keep watching${calendarDaysUntil(nextRetryAt) > 0 ? ' until then' : ''}.`;
}

/** When it is tried again. If that day is over, the provider has not told the next one yet. */
function retryPhrase(nextRetryAt: string): string {
  const days = calendarDaysUntil(nextRetryAt);
  if (days < 0) return 'soon';
  return days === 0 ? 'today' : `on ${formatDate(nextRetryAt)}`;
}

/** Whether a plan can be watched now and neither ends nor pauses before then. */
function isWatchableUntil(plan: Plan, then: string): boolean {
  const stops = [plan.cancelAt, plan.hasScheduledPause ? plan.pauseDate : null];
  return isWatchable(plan) && !stops.some((at) => at !== null && at < then);
}

function WaysToPay({ failed }: { failed: FailedPayment }) {
  const { data: payments } = useQuery(paymentsOptions);
  const source = payments && defaultSource(payments);
  const isCard = source && sourceKind(source) === 'CARD';
  const isSame = isCard && lastFourDigits(source) === failed.last4;
  return (
    <div className={styles.ways}>
      <ButtonLink to={isCard ? bankPaymentAddress(source).to : paths.paymentMethods}>
        {isSame ? 'Try this card again' : 'Pay now'}
      </ButtonLink>
      <ButtonLink variant="secondary" {...addAddress('CARD')}>
        Use another card
      </ButtonLink>
    </div>
  );
}
