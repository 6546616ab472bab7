import type { ServicesChange } from '@/lib/api/types';
import { planFacts } from '@/lib/planFacts';
import { planNotes } from '@/lib/plans';
import { CheckMark } from '@/ui/CheckMark';
import { notesId, type PlanLine } from '@/ui/PlanTable';
import { type Choosable, isHeld } from './draft';

interface ChoiceLineProps {
  plan: Choosable;
  /** What the draft comes to, as far as that is known; nothing where it changes nothing. */
  change: ServicesChange | undefined;
  chosen: boolean;
  /** Unlike any other in the document. */
  id: string;
  onChange: (chosen: boolean) => void;
}

/** A plan as a row of the choice: its box, and what becomes of it. */
export function choiceLine({ plan, change, chosen, id, onChange }: ChoiceLineProps): PlanLine {
  const notes = notesOf(plan, change, chosen);
  return {
    key: id,
    ...planFacts(plan),
    notes,
    markId: id,
    mark: (
      <CheckMark
        id={id}
        label={plan.name}
        checked={chosen}
        describedBy={notes.length > 0 ? notesId(id) : undefined}
        onChange={onChange}
      />
    ),
  };
}

function notesOf(plan: Choosable, change: ServicesChange | undefined, chosen: boolean): string[] {
  if (!isHeld(plan)) {
    return [chosen ? 'Starts as soon as you save your changes.' : 'Check the box to add it.'];
  }
  const asItWillBe = change?.existingPlans.find(({ id }) => id === plan.id);
  if (chosen && change?.keptAgain.includes(plan.id)) return ['You keep it: it renews as before.'];
  return planNotes(asItWillBe ?? plan);
}
