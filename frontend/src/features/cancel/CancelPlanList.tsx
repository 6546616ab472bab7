import { useId } from 'react';
import { notesId, type PlanLine, PlanTable } from '@/domain/plans/PlanTable';
import { planRowFacts } from '@/domain/plans/planRow';
import { isPaused, planNotes } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { BareCheckbox } from '@/ui/forms/BareCheckbox';
import type { CancelSelection } from './useCancelSelection';

/** The listed plans. If there are several, each has a checkbox. */
export function CancelPlanList({ selection }: { selection: CancelSelection }) {
  const prefix = useId();
  const lines = selection.listed.map((plan) => planLine(plan, selection, `${prefix}${plan.subId}`));
  return <PlanTable caption="Your Subscriptions" lines={lines} sums={[]} />;
}

function planLine(
  plan: Plan,
  { chosen, isChoice, togglePlan }: CancelSelection,
  id: string,
): PlanLine {
  const notes = planNotes(plan);
  const describedBy = notes.length > 0 ? notesId(id) : undefined;
  const checkbox = (
    <BareCheckbox
      id={id}
      label={plan.name}
      checked={chosen.includes(plan)}
      describedBy={describedBy}
      onChange={isChoice ? (on) => togglePlan(plan, on) : undefined}
    />
  );
  return {
    key: id,
    ...planRowFacts(plan),
    notes,
    // A single paused plan has none: it ends at once, and is chosen by the press alone.
    mark: isChoice || !isPaused(plan) ? checkbox : undefined,
    markId: isChoice ? id : undefined,
  };
}
