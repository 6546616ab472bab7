import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { PAUSE_DAYS, type PausePeriod, type PauseSpan, pauseSpans } from '@/lib/pausing';
import { namesOf } from '@/lib/plans';
import { Day } from '@/ui/Day';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { Point, Points } from '@/ui/Points';

interface PauseTermsProps {
  chosen: readonly Plan[];
  periods: readonly PausePeriod[];
}

/** What a pause means and when it starts and ends. */
export function PauseTerms({ chosen, periods }: PauseTermsProps) {
  const spans = pauseSpans(chosen, periods);
  return (
    <Points>
      <Point icon={<CheckIcon />}>
        Pause for {PAUSE_DAYS} days and keep your watch history, preferences and favorites.
      </Point>
      {spans.map((span) => (
        <Dates key={span.pauseDate} span={span} named={spans.length > 1} />
      ))}
      <Point icon={<ReceiptIcon />}>
        You pay nothing today and nothing while paused. Your billing goes on when you resume.
      </Point>
      <Point icon={<PlayIcon />}>You may return any time before then.</Point>
    </Points>
  );
}

/** Which plans a pair of dates is about is said where there is more than one pair. */
function Dates({ span, named }: { span: PauseSpan; named: boolean }) {
  const which = named ? namesOf(span.plans) : null;
  const isOne = span.plans.length === 1;
  return (
    <Point icon={<CalendarIcon />}>
      {which ? `Your access to ${which}` : 'Your access'} continues to the end of the current
      billing period, <Day dateTime={span.pauseDate}>{formatDate(span.pauseDate)}</Day>.{' '}
      {isOne ? 'The subscription' : 'The subscriptions'} {isOne ? 'resumes' : 'resume'}{' '}
      automatically on <Day dateTime={span.resumeDate}>{formatDate(span.resumeDate)}</Day>.
    </Point>
  );
}
