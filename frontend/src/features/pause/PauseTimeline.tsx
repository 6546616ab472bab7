import { PAUSE_DAYS, type PauseSpan } from '@/domain/changes/pausing';
import { formatPlanNames } from '@/domain/plans/plans';
import type { NextBill, Plan } from '@/lib/api/types';
import { formatCents, formatDate, formatList } from '@/lib/formats';
import { Timeline } from '@/ui/display/Timeline';

interface PauseTimelineProps {
  span: PauseSpan;
  /** The bills after the pause; empty until they are known. */
  bills: readonly NextBill[];
  /** Whether the plans are named, because others have other dates. */
  isNamed: boolean;
}

/** A pause from today on: until when the plans can be watched, the pause, and what resumes it. */
export function PauseTimeline({ span, bills, isNamed }: PauseTimelineProps) {
  const names = formatPlanNames(span.plans);
  const isSingle = span.plans.length === 1;
  const ofPlans = isNamed ? ` to ${names}` : '';
  return (
    <Timeline
      label={`Pause of ${names}`}
      items={[
        {
          key: 'access',
          title: `Your access${ofPlans} continues to the end of the current billing period`,
          date: formatDate(span.pauseDate),
          dateTime: span.pauseDate,
          tone: 'primary',
        },
        {
          key: 'pause',
          title: `Paused for ${PAUSE_DAYS} days`,
          detail: 'Nothing is billed.',
        },
        {
          key: 'resume',
          title: isNamed
            ? `${names} resume${isSingle ? 's' : ''} automatically`
            : 'Resumes automatically',
          date: formatDate(span.resumeDate),
          dateTime: span.resumeDate,
          detail: resumeCost(span.plans, bills),
          tone: 'primary',
        },
      ]}
    />
  );
}

/** What the first bills after the pause cost; undefined while an amount is not known. */
function resumeCost(plans: readonly Plan[], bills: readonly NextBill[]): string | undefined {
  const firstBills = plans.map(({ subId }) =>
    bills.find((bill) => !bill.follows && bill.plans.includes(subId)),
  );
  const costs = firstBills.flatMap((bill, index) =>
    bill?.amount == null ? [] : [costOf(bill, bill.amount, plans.length > 1 && plans[index]?.name)],
  );
  if (costs.length < plans.length) return undefined;
  return `${formatList(costs)} ${costs.length > 1 ? 'are' : 'is'} billed that day.`;
}

function costOf({ currencyCode, tax }: NextBill, amount: number, name: string | false = false) {
  const cost = `${formatCents(amount, currencyCode)}${tax === 'before' ? ' and applicable taxes' : ''}`;
  return name ? `${cost} for ${name}` : cost;
}
