import {
  groupPauseSpans,
  PAUSE_DAYS,
  type PausePeriod,
  type PauseSpan,
} from '@/domain/changes/pausing';
import { formatPlanNames } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { ImportantDate } from '@/ui/ImportantDate';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { Point, Points } from '@/ui/Points';

interface PauseTermsProps {
  chosen: readonly Plan[];
  periods: readonly PausePeriod[];
}

/** What a pause means, and its dates. */
export function PauseTerms({ chosen, periods }: PauseTermsProps) {
  const spans = groupPauseSpans(chosen, periods);
  return (
    <Points>
      <Point icon={<CheckIcon />}>
        Pause for {PAUSE_DAYS} days and keep your watch history, preferences and favorites.
      </Point>
      {spans.map((span) => (
        <PauseDatesPoint key={span.pauseDate} span={span} named={spans.length > 1} />
      ))}
      <Point icon={<ReceiptIcon />}>
        You pay nothing today and nothing while paused. Billing restarts when you resume.
      </Point>
      <Point icon={<PlayIcon />}>You may return any time before then.</Point>
    </Points>
  );
}

/** Names the plans if there are several pairs of dates. */
function PauseDatesPoint({ span, named }: { span: PauseSpan; named: boolean }) {
  const planNames = named ? formatPlanNames(span.plans) : null;
  const isSingle = span.plans.length === 1;
  return (
    <Point icon={<CalendarIcon />}>
      {planNames ? `Your access to ${planNames}` : 'Your access'} continues to the end of the
      current billing period,{' '}
      <ImportantDate dateTime={span.pauseDate}>{formatDate(span.pauseDate)}</ImportantDate>.{' '}
      {isSingle ? 'The subscription' : 'The subscriptions'} {isSingle ? 'resumes' : 'resume'}{' '}
      automatically on{' '}
      <ImportantDate dateTime={span.resumeDate}>{formatDate(span.resumeDate)}</ImportantDate>.
    </Point>
  );
}
