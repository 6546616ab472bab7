import { useQuery } from '@tanstack/react-query';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { groupPauseSpans, type PauseSpan, pauseEstimateOptions } from '@/domain/changes/pausing';
import { formatPlanNames } from '@/domain/plans/plans';
import { formatDate } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { Point, Points } from '@/ui/display/Points';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { RefreshIcon } from '@/ui/icons/RefreshIcon';
import { Card } from '@/ui/layout/Card';
import { Skeleton } from '@/ui/loading/Skeleton';
import { ImportantDate } from '@/ui/text/ImportantDate';
import styles from './Panels.module.css';
import type { CancelSelection } from './useCancelSelection';

interface PausePanelProps {
  selection: CancelSelection;
  offer: { heading: string; text: string };
  pauseCommand: { isPending: boolean; error: Error | null };
  onPause: () => void;
}

/** The offer to pause instead: what it means, its dates, and the button. */
export function PausePanel({ selection, offer, pauseCommand, onPause }: PausePanelProps) {
  const { chosen, pausable, billedMeanwhile } = selection;
  const estimate = useQuery(pauseEstimateOptions());
  const isEmpty = chosen.length === 0;
  const spans = groupPauseSpans(pausable, estimate.data?.plans ?? []);
  return (
    <Card as="section" labelledBy="pause-instead" className={styles.panel}>
      <h2 id="pause-instead">{offer.heading}</h2>
      <p>{offer.text}</p>
      {isEmpty && <p>Select what you’d like to pause.</p>}
      <Points>
        {estimate.isPending && !isEmpty && (
          <li>
            <Skeleton height="3rem" />
          </li>
        )}
        {spans.map((span) => (
          <PauseSpanPoint key={span.pauseDate} span={span} />
        ))}
        {billedMeanwhile.length > 0 && (
          <Point icon={<ReceiptIcon />}>
            {formatPlanNames(billedMeanwhile)} can’t be paused. Billing continues as usual.
          </Point>
        )}
        <Point icon={<RefreshIcon />}>
          You won’t be charged today. You can undo the pause anytime before it starts.
        </Point>
      </Points>
      {pauseCommand.error && <ChangeFailure error={pauseCommand.error} />}
      <Button block busy={pauseCommand.isPending} onClick={onPause} className={styles.button}>
        Pause for a month
      </Button>
    </Card>
  );
}

function PauseSpanPoint({ span: { plans, pauseDate, resumeDate } }: { span: PauseSpan }) {
  const isSingle = plans.length === 1;
  return (
    <Point icon={<CalendarIcon />}>
      {formatPlanNames(plans)} {isSingle ? 'pauses' : 'pause'} on{' '}
      <ImportantDate dateTime={pauseDate}>{formatDate(pauseDate)}</ImportantDate> and{' '}
      {isSingle ? 'resumes' : 'resume'} on{' '}
      <ImportantDate dateTime={resumeDate}>{formatDate(resumeDate)}</ImportantDate>.
    </Point>
  );
}
