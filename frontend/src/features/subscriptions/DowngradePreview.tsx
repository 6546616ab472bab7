import { useQuery } from '@tanstack/react-query';

import type { ManagePlans } from '@/lib/api/types';
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
  /** Which plans; none for all that can be. */
  planIds: readonly string[];
}

/** What one will hold once a downgrade has taken effect. */
export function DowngradePreview({ costs, planIds }: DowngradePreviewProps) {
  const estimate = useQuery(periodEstimateOptions('downgrade', planIds));
  if (hasCode(estimate.error, 'no_change', 'invalid_state')) {
    return (
      <>
        <InfoAlert>There is nothing to downgrade. This is what you have now.</InfoAlert>
        <ReadOnlyPlans plans={costs.existingPlans} costs={costs} />
      </>
    );
  }
  if (estimate.isError) return <EstimateFailure estimate={estimate} />;
  if (!estimate.data) return <PlanTableSkeleton />;
  const { existingPlans, effectiveAt, isImmediate } = estimate.data;
  return (
    <>
      <p>
        This is what you will have{' '}
        {isImmediate ? (
          'once your trial is over'
        ) : (
          <>
            from <strong>{formatDate(effectiveAt)}</strong> on
          </>
        )}
        .
      </p>
      <ReadOnlyPlans plans={existingPlans} costs={estimate.data} />
    </>
  );
}
