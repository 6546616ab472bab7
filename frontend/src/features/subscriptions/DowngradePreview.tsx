import { useQuery } from '@tanstack/react-query';

import type { ManagePlans, Preview } from '@/lib/api/types';
import { hasCode } from '@/lib/errors';
import { formatDate } from '@/lib/formats';
import { InfoAlert } from '@/ui/InfoAlert';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { periodEstimateOptions } from './api';
import { EstimateFailure } from './EstimateFailure';
import { ReadOnlyPlans } from './ReadOnlyPlans';

interface DowngradePreviewProps {
  /** What is held as it is, for where nothing can be downgraded. */
  costs: ManagePlans;
  /** As of `ReadOnlyPlans`. */
  quiet?: boolean | undefined;
}

/** What one will hold once everything that can be downgraded, or is about to be, has been. */
export function DowngradePreview({ costs, quiet }: DowngradePreviewProps) {
  const estimate = useQuery(periodEstimateOptions('downgrade', []));
  if (hasCode(estimate.error, 'no_change', 'invalid_state')) {
    return (
      <>
        <InfoAlert>There is nothing to downgrade. This is what you have now.</InfoAlert>
        <ReadOnlyPlans plans={costs.existingPlans} costs={costs} quiet={quiet} />
      </>
    );
  }
  if (estimate.isError) return <EstimateFailure estimate={estimate} />;
  if (!estimate.data) return <PlanTableSkeleton />;
  return (
    <>
      <p>
        This is what you will have <strong>{startOf(estimate.data)}</strong>.
      </p>
      <ReadOnlyPlans plans={estimate.data.existingPlans} costs={estimate.data} quiet={quiet} />
    </>
  );
}

function startOf({ isImmediate, effectiveAt }: Preview): string {
  if (isImmediate) return 'once your trial is over';
  return effectiveAt ? `from ${formatDate(effectiveAt)} on` : 'at the end of your billing cycle';
}
