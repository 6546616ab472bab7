import { useQuery } from '@tanstack/react-query';
import { billRows } from '@/domain/costs/nextBills';
import { type Costs, sumRows } from '@/domain/costs/totals';
import { useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { type PlanLine, PlanTable } from '@/domain/plans/PlanTable';
import { planRowFacts } from '@/domain/plans/planRow';
import { isEnding, isLive, planNotes, watchableServices } from '@/domain/plans/plans';
import { StartStreaming } from '@/domain/services/StartStreaming';
import { siteOptions } from '@/lib/api/queries';
import type { NextBill, Plan, PlanToBe } from '@/lib/api/types';
import { BareCheckbox } from '@/ui/forms/BareCheckbox';

interface ReadOnlyPlansProps {
  plans: readonly (Plan | PlanToBe)[];
  costs: Costs & { nextBills: readonly NextBill[] };
  /** Shows the links to the services as secondary buttons. */
  quiet?: boolean | undefined;
}

/** A read-only table of current or future plans with totals. */
export function ReadOnlyPlans({ plans, costs, quiet }: ReadOnlyPlansProps) {
  const { data: site } = useQuery(siteOptions);
  const held = plans.filter(isLive);
  const overdue = useOverdueAmount(held);
  return (
    <>
      <PlanTable
        caption="Your Subscriptions"
        lines={held.map(planLine)}
        sums={[...sumRows(costs), ...billRows(costs.nextBills, held, overdue)]}
      />
      <StartStreaming services={watchableServices(held, site?.services)} quiet={quiet} />
    </>
  );
}

function planLine(plan: Plan | PlanToBe): PlanLine {
  return {
    key: plan.subId ?? plan.id,
    ...planRowFacts(plan),
    notes: planNotes(plan),
    mark: <BareCheckbox label={plan.name} checked={!isEnding(plan)} />,
  };
}
