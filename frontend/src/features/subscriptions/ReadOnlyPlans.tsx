import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import type { Plan, PlanToBe } from '@/lib/api/types';
import { planFacts } from '@/lib/planFacts';
import { isEnding, isLive, planNotes, watchableServices } from '@/lib/plans';
import { type Costs, sumRows } from '@/lib/totals';
import { CheckMark } from '@/ui/CheckMark';
import { type PlanLine, PlanTable } from '@/ui/PlanTable';
import { StartStreaming } from '@/ui/StartStreaming';

interface ReadOnlyPlansProps {
  plans: readonly (Plan | PlanToBe)[];
  costs: Costs;
  /** Something else on the screen is what one came for, not the services' sites. */
  quiet?: boolean | undefined;
}

/** What one holds, or will hold, and what it costs together; nothing is changed here. */
export function ReadOnlyPlans({ plans, costs, quiet }: ReadOnlyPlansProps) {
  const { data: site } = useQuery(siteOptions);
  const held = plans.filter(isLive);
  return (
    <>
      <PlanTable caption="Your Subscriptions" lines={held.map(lineOf)} sums={sumRows(costs)} />
      <StartStreaming services={watchableServices(held, site?.services)} quiet={quiet} />
    </>
  );
}

function lineOf(plan: Plan | PlanToBe): PlanLine {
  return {
    key: plan.id,
    ...planFacts(plan),
    notes: planNotes(plan),
    mark: <CheckMark label={plan.name} checked={!isEnding(plan)} />,
  };
}
