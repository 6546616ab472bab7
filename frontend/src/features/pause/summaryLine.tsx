import type { Plan } from '@/lib/api/types';
import { serviceArt } from '@/lib/artwork';
import { formatCents } from '@/lib/formats';
import { planNotes } from '@/lib/plans';
import type { PlanLine } from '@/ui/PlanTable';
import { CancelPause } from './CancelPause';

/** A plan as a row of the summary; one with a scheduled pause can be taken back there. */
export function summaryLine(plan: Plan): PlanLine {
  return {
    key: plan.subId,
    name: plan.name,
    picture: serviceArt(plan.service),
    amount: formatCents(plan.amount),
    per: `per ${plan.periodUnit}`,
    notes: planNotes(plan),
    action: plan.hasScheduledPause ? <CancelPause plan={plan} /> : undefined,
  };
}
