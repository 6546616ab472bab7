import { useLocation } from 'react-router-dom';
import { readReceipt } from '@/domain/changes/receipts';
import { UndoAllButton } from '@/domain/changes/UndoAllButton';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { formatPlanNames } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { ImportantDate } from '@/ui/text/ImportantDate';

interface PauseNoticeProps {
  plans: readonly Plan[];
  onDismiss: () => void;
}

interface PauseStart {
  pauseDate: string;
  plans: Plan[];
}

function isPausing({ hasScheduledPause }: Plan): boolean {
  return hasScheduledPause;
}

/** Groups the scheduled pauses by the day they start. */
function groupByStartDate(plans: readonly Plan[]): PauseStart[] {
  const starts = new Map<string, PauseStart>();
  for (const plan of plans) {
    if (!isPausing(plan) || !plan.pauseDate) continue;
    const day = formatDate(plan.pauseDate);
    const start = starts.get(day) ?? { pauseDate: plan.pauseDate, plans: [] };
    starts.set(day, { ...start, plans: [...start.plans, plan] });
  }
  return [...starts.values()];
}

/**
 * Says when the scheduled pauses take effect and that they can be canceled; what today cost, only
 * right after pausing.
 */
export function PauseNotice({ plans, onDismiss }: PauseNoticeProps) {
  const onUndone = useReportUndone(paths.dashboard, { replace: false });
  const { state } = useLocation();
  const pausing = plans.filter(isPausing);
  const overdue = useOverdueAmount(pausing);
  const starts = groupByStartDate(plans);
  if (starts.length === 0) return null;
  const [are, resume] = pausing.length === 1 ? ['it’s', 'it resumes'] : ['they’re', 'they resume'];
  return (
    <InfoAlert onDismiss={onDismiss}>
      {starts.map(({ pauseDate, plans: paused }) => (
        <p key={pauseDate}>
          {starts.length === 1 ? 'Your pause' : `Your pause of ${formatPlanNames(paused)}`} takes
          effect at the end of your billing cycle on{' '}
          <ImportantDate dateTime={pauseDate}>{formatDate(pauseDate)}</ImportantDate>.
        </p>
      ))}
      <p>
        {[...readReceipt(state, plans), `You won’t be charged while ${are} paused`].join(' ')}
        {overdue && `, except for the ${overdue} you still owe`}. Billing restarts when {resume}.
      </p>
      <p>You can cancel the scheduled pause anytime before then to resume your subscription.</p>
      <UndoAllButton plans={pausing} onUndone={onUndone} />
    </InfoAlert>
  );
}
