import { useId } from 'react';

import type { Plan } from '@/lib/api/types';
import { planFacts } from '@/lib/planFacts';
import { isPaused, planNotes, willBill } from '@/lib/plans';
import { CheckMark } from '@/ui/CheckMark';
import { notesId, type PlanLine, PlanTable } from '@/ui/PlanTable';
import type { Leaving } from './useLeaving';

/** What one holds of what the screen is about; where there are several, which of them to cancel. */
export function PlanList({ leaving }: { leaving: Leaving }) {
  const prefix = useId();
  const lines = leaving.listed.map((plan) => lineOf(plan, leaving, `${prefix}${plan.subId}`));
  return <PlanTable caption="Your Subscriptions" lines={lines} sums={[]} />;
}

function lineOf(plan: Plan, { chosen, isChoice, toggle }: Leaving, id: string): PlanLine {
  const notes = planNotes(plan);
  const described = notes.length > 0 ? notesId(id) : undefined;
  const box = (
    <CheckMark
      id={id}
      label={plan.name}
      checked={isChoice ? chosen.includes(plan) : willBill(plan)}
      describedBy={described}
      onChange={isChoice ? (on) => toggle(plan, on) : undefined}
    />
  );
  return {
    key: id,
    ...planFacts(plan),
    notes,
    // A single paused one is what the screen is about, although a paused one is never checked.
    mark: isChoice || !isPaused(plan) ? box : undefined,
    markId: isChoice ? id : undefined,
  };
}
