import { useQuery } from '@tanstack/react-query';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import {
  groupPauseSpans,
  type PausePeriod,
  type PauseSpan,
  pauseEstimateOptions,
} from '@/domain/changes/pausing';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { formatPlanNames } from '@/domain/plans/plans';
import { managePlansOptions } from '@/lib/api/queries';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatDate } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { Point, Points } from '@/ui/display/Points';
import { ErrorState } from '@/ui/feedback/ErrorState';
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

/**
 * The offer to pause instead: what it means, its dates, and the button. Nothing can be paused before
 * its dates are shown.
 */
export function PausePanel({ selection, offer, pauseCommand, onPause }: PausePanelProps) {
  const { chosen } = selection;
  const plans = useQuery(managePlansOptions);
  const estimate = useQuery(pauseEstimateOptions());
  const failure = findLoadFailure(estimate);
  const isEmpty = chosen.length === 0;
  // An estimate is refused if the plans have changed elsewhere.
  const retry = () => {
    void plans.refetch();
    void estimate.refetch();
  };
  return (
    <Card as="section" labelledBy="pause-instead" className={styles.panel}>
      <h2 id="pause-instead">{offer.heading}</h2>
      <p>{offer.text}</p>
      {isEmpty && <p>Select what you’d like to pause.</p>}
      {failure ? (
        <ErrorState {...failure} onRetry={retry} />
      ) : (
        <PausePoints selection={selection} periods={estimate.data?.plans} />
      )}
      {pauseCommand.error && <ChangeFailure error={pauseCommand.error} />}
      {!failure && (
        <Button
          block
          disabled={!estimate.data && !isEmpty}
          busy={pauseCommand.isPending}
          onClick={onPause}
          className={styles.button}
        >
          Pause for a month
        </Button>
      )}
    </Card>
  );
}

interface PausePointsProps {
  selection: CancelSelection;
  /** Undefined while they load. */
  periods: readonly PausePeriod[] | undefined;
}

function PausePoints({ selection, periods }: PausePointsProps) {
  const { chosen, pausable, billedMeanwhile } = selection;
  const overdue = useOverdueAmount(pausable);
  return (
    <Points>
      {!periods && chosen.length > 0 && (
        <li>
          <Skeleton height="3rem" />
        </li>
      )}
      {groupPauseSpans(pausable, periods ?? []).map((span) => (
        <PauseSpanPoint key={span.pauseDate} span={span} />
      ))}
      {billedMeanwhile.length > 0 && (
        <Point icon={<ReceiptIcon />}>
          {formatPlanNames(billedMeanwhile)} can’t be paused. Billing continues as usual.
        </Point>
      )}
      <Point icon={<RefreshIcon />}>
        You won’t be charged today{overdue && `, except the ${overdue} you still owe`}. You can undo
        the pause anytime before it starts.
      </Point>
    </Points>
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
