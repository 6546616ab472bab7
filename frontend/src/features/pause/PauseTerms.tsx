import { useQuery } from '@tanstack/react-query';
import {
  groupPauseSpans,
  PAUSE_DAYS,
  type PausePeriod,
  pauseEstimateOptions,
} from '@/domain/changes/pausing';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import type { UrlSelection } from '@/domain/plans/usePlanSelection';
import { Point, Points } from '@/ui/display/Points';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import styles from './PauseTerms.module.css';
import { PauseTimeline } from './PauseTimeline';

interface PauseTermsProps {
  selection: Pick<UrlSelection, 'chosen' | 'ids'>;
  periods: readonly PausePeriod[];
}

/** What a pause means, and its dates and amounts. */
export function PauseTerms({ selection: { chosen, ids }, periods }: PauseTermsProps) {
  const estimate = useQuery({
    ...pauseEstimateOptions(ids),
    enabled: chosen.length > 0,
    // The estimate of all is the screen's own, which has just been loaded.
    refetchOnMount: false,
  });
  const overdue = useOverdueAmount(chosen);
  const spans = groupPauseSpans(chosen, periods);
  return (
    <div className={styles.terms}>
      <Points>
        <Point icon={<CheckIcon />}>
          Pause for {PAUSE_DAYS} days and keep your watch history, preferences and favorites.
        </Point>
      </Points>
      {spans.map((span) => (
        <PauseTimeline
          key={span.pauseDate}
          span={span}
          bills={estimate.data?.nextBills ?? []}
          isNamed={spans.length > 1}
        />
      ))}
      <Points>
        <Point icon={<ReceiptIcon />}>
          You pay nothing today and nothing while paused
          {overdue && `, except the ${overdue} you still owe`}. Billing restarts when you resume.
        </Point>
        <Point icon={<PlayIcon />}>You may return any time before then.</Point>
      </Points>
    </div>
  );
}
