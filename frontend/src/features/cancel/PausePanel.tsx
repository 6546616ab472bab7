import { useQuery } from '@tanstack/react-query';

import { formatDate } from '@/lib/formats';
import { type PauseSpan, pauseEstimateOptions, pauseSpans } from '@/lib/pausing';
import { namesOf } from '@/lib/plans';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Day } from '@/ui/Day';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import { Point, Points } from '@/ui/Points';
import { Skeleton } from '@/ui/Skeleton';
import { Failure } from './Failure';
import styles from './Panels.module.css';
import type { Leaving } from './useLeaving';

interface PausePanelProps {
  leaving: Leaving;
  pausing: { isPending: boolean; error: Error | null };
  onPause: () => void;
}

/** A month off instead of an end: what it means, when it starts and ends, and the button. */
export function PausePanel({ leaving: { pausable }, pausing, onPause }: PausePanelProps) {
  const estimate = useQuery(pauseEstimateOptions);
  const spans = pauseSpans(pausable, estimate.data?.plans ?? []);
  return (
    <Card as="section" labelledBy="pause-instead" className={styles.panel}>
      <h2 id="pause-instead">Take a break</h2>
      <p>Stay for a little longer? Keep your account and data. You won’t get billed for a month.</p>
      <Points>
        {estimate.isPending && (
          <li>
            <Skeleton height="3rem" />
          </li>
        )}
        {spans.map((span) => (
          <Span key={span.pauseDate} span={span} />
        ))}
        <Point icon={<RefreshIcon />}>
          Nothing is charged today. You can take the pause back any time before it starts.
        </Point>
      </Points>
      {pausing.error && <Failure error={pausing.error} />}
      <Button block busy={pausing.isPending} onClick={onPause} className={styles.button}>
        Pause for a month
      </Button>
    </Card>
  );
}

function Span({ span: { plans, pauseDate, resumeDate } }: { span: PauseSpan }) {
  const isOne = plans.length === 1;
  return (
    <Point icon={<CalendarIcon />}>
      {namesOf(plans)} {isOne ? 'pauses' : 'pause'} on{' '}
      <Day dateTime={pauseDate}>{formatDate(pauseDate)}</Day> and {isOne ? 'resumes' : 'resume'} on{' '}
      <Day dateTime={resumeDate}>{formatDate(resumeDate)}</Day>.
    </Point>
  );
}
