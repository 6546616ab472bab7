import type { Plan } from '@/lib/api/types';
import { planFacts } from '@/lib/planFacts';
import { planNotes } from '@/lib/plans';
import type { PlanLine } from '@/ui/PlanTable';
import { CancelPause } from './CancelPause';

/** A plan as a row of the summary; one with a scheduled pause can be taken back there. */
export function summaryLine(plan: Plan): PlanLine {
  return {
    key: plan.subId,
    ...planFacts(plan),
    notes: planNotes(plan),
    action: plan.hasScheduledPause ? <CancelPause plan={plan} /> : undefined,
  };
}
