import { billSentences } from '@/domain/costs/nextBills';
import { formatPlanNames } from '@/domain/plans/plans';
import type { FreeMonthOffer } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './FreeMonth.module.css';

/** What the free month saves, which bill is free, and when the next one is paid. */
export function FreeMonthTerms({ offer }: { offer: FreeMonthOffer }) {
  const { amountSaved, currencyCode, plans, nextBillingAt, newNextBillingAt } = offer;
  return (
    <p>
      You save <strong>{formatCents(amountSaved, currencyCode)}</strong>
      {plans.length > 0 && <> on {formatPlanNames(plans)}</>}.
      {nextBillingAt && newNextBillingAt && (
        <>
          {' '}
          The bill on <FreeMonthDate at={nextBillingAt} /> is free, and you pay again on{' '}
          <FreeMonthDate at={newNextBillingAt} />.
        </>
      )}
    </p>
  );
}

/** What the plan with the free month bills next, and what follows; nothing while that is unknown. */
export function FreeMonthBills({ offer: { nextBills } }: { offer: FreeMonthOffer }) {
  if (nextBills.length === 0) return null;
  return (
    <p>
      <UnbrokenDates>{billSentences(nextBills, { isNamed: true }).join(' ')}</UnbrokenDates>
    </p>
  );
}

/** An emphasized date. */
export function FreeMonthDate({ at }: { at: string }) {
  return (
    <strong className={styles.day}>
      <time dateTime={at}>{formatDate(at)}</time>
    </strong>
  );
}
