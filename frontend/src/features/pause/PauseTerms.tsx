import type { ReactNode } from 'react';

import type { PauseEstimate, Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { namesOf } from '@/lib/plans';
import { CalendarIcon, CheckIcon, PlayIcon, ReceiptIcon } from '@/ui/icons/icons';
import { PAUSE_DAYS } from './api';
import styles from './PauseTerms.module.css';

export type PausePeriod = PauseEstimate['plans'][number];

interface PauseTermsProps {
  chosen: readonly Plan[];
  periods: readonly PausePeriod[];
}

/** From when to when some plans would be paused. */
interface Span {
  pauseDate: string;
  resumeDate: string;
  plans: Plan[];
}

/** The chosen plans by their dates, soonest first. */
function spansOf(chosen: readonly Plan[], periods: readonly PausePeriod[]): Span[] {
  const spans = new Map<string, Span>();
  for (const { subId, pauseDate, resumeDate } of periods) {
    const plan = chosen.find((one) => one.subId === subId);
    if (!plan) continue;
    const days = formatDate(pauseDate) + formatDate(resumeDate);
    const span = spans.get(days) ?? { pauseDate, resumeDate, plans: [] };
    spans.set(days, { ...span, plans: [...span.plans, plan] });
  }
  return [...spans.values()].sort((one, other) => one.pauseDate.localeCompare(other.pauseDate));
}

/** What a pause means and when it starts and ends. */
export function PauseTerms({ chosen, periods }: PauseTermsProps) {
  const spans = spansOf(chosen, periods);
  return (
    <ul className={styles.terms}>
      <Term icon={<CheckIcon />}>
        Pause for {PAUSE_DAYS} days and keep your watch history, preferences and favorites.
      </Term>
      {spans.map((span) => (
        <Dates key={span.pauseDate} span={span} named={spans.length > 1} />
      ))}
      <Term icon={<ReceiptIcon />}>
        You pay nothing today and nothing while paused. Your billing goes on when you resume.
      </Term>
      <Term icon={<PlayIcon />}>You may return any time before then.</Term>
    </ul>
  );
}

/** Which plans a pair of dates is about is said where there is more than one pair. */
function Dates({ span, named }: { span: Span; named: boolean }) {
  const which = named ? namesOf(span.plans) : null;
  const isOne = span.plans.length === 1;
  return (
    <Term icon={<CalendarIcon />}>
      {which ? `Your access to ${which}` : 'Your access'} continues to the end of the current
      billing period, <Day at={span.pauseDate} />.{' '}
      {isOne ? 'The subscription' : 'The subscriptions'} {isOne ? 'resumes' : 'resume'}{' '}
      automatically on <Day at={span.resumeDate} />.
    </Term>
  );
}

function Day({ at }: { at: string }) {
  return (
    <strong className={styles.day}>
      <time dateTime={at}>{formatDate(at)}</time>
    </strong>
  );
}

function Term({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li>
      <span className={styles.icon}>{icon}</span>
      <p>{children}</p>
    </li>
  );
}
