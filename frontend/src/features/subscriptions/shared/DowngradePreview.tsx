import { useQuery } from '@tanstack/react-query';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { hasCode } from '@/lib/api/errors';
import type { ManagePlans, PeriodEstimate } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { periodEstimateOptions } from './api';
import { EstimateFailure } from './EstimateFailure';
import { ReadOnlyPlans } from './ReadOnlyPlans';

interface DowngradePreviewProps {
  /** The current plans, shown if nothing can be downgraded. */
  costs: ManagePlans;
  /** Passed to `ReadOnlyPlans`. */
  quiet?: boolean | undefined;
}

/** The plans after every possible and every scheduled downgrade. */
export function DowngradePreview({ costs, quiet }: DowngradePreviewProps) {
  const estimate = useQuery(periodEstimateOptions('downgrade', []));
  if (hasCode(estimate.error, 'no_change', 'invalid_state')) {
    return (
      <>
        <InfoAlert>Nothing to downgrade. Here are your current plans.</InfoAlert>
        <ReadOnlyPlans plans={costs.existingPlans} costs={costs} quiet={quiet} />
      </>
    );
  }
  if (estimate.isError) return <EstimateFailure estimate={estimate} />;
  if (!estimate.data) return <PlanTableSkeleton />;
  return (
    <>
      <p>
        <strong>{startPhrase(estimate.data)}</strong>
      </p>
      <ReadOnlyPlans plans={estimate.data.existingPlans} costs={estimate.data} quiet={quiet} />
    </>
  );
}

/** From when all plans are as shown: plans that renew on different days change on different days. */
function startPhrase({ isImmediate, effectiveAt, existingPlans }: PeriodEstimate): string {
  if (isImmediate) return 'After your trial';
  const changes = existingPlans.map(({ scheduledPlan }) => scheduledPlan?.at);
  const last = [effectiveAt, ...changes]
    .filter((at) => at != null)
    .sort()
    .at(-1);
  return last ? `Starting ${formatDate(last)}` : 'At the end of your billing cycle';
}
