import type { FreeMonthOffer } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';
import { namesOf } from '@/lib/plans';
import styles from './FreeMonth.module.css';

/** What it saves, and how the bills move. */
export function Terms({ offer }: { offer: FreeMonthOffer }) {
  const { amountSaved, plans, nextBillingAt, newNextBillingAt } = offer;
  return (
    <p>
      You save <strong>{formatCents(amountSaved)}</strong>
      {plans.length > 0 && <> on {namesOf(plans)}</>}.
      {nextBillingAt && newNextBillingAt && (
        <>
          {' '}
          Its next bill moves from <Day at={nextBillingAt} /> to <Day at={newNextBillingAt} />.
        </>
      )}
    </p>
  );
}

/** A date, for people and for machines. */
export function Day({ at }: { at: string }) {
  return (
    <strong className={styles.day}>
      <time dateTime={at}>{formatDate(at)}</time>
    </strong>
  );
}
