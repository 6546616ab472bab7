import { notesId, type PlanLine } from '@/domain/plans/PlanTable';
import { planRowFacts } from '@/domain/plans/planRow';
import { isEnding, onlyCancelableSentence, planNotes } from '@/domain/plans/plans';
import type { Plan, ServicesChange } from '@/lib/api/types';
import { formatInlinePrice } from '@/lib/formats';
import { BareCheckbox } from '@/ui/forms/BareCheckbox';
import { type Choosable, isCurrentPlan } from './serviceDraft';

interface ServiceLineProps {
  plan: Choosable;
  /** The estimate of the draft; undefined if there is none, or if nothing differs. */
  change: ServicesChange | undefined;
  chosen: boolean;
  /** Unique in the document. */
  id: string;
  onChange: (chosen: boolean) => void;
}

/** A plan's row with its checkbox, and notes about what happens to it. */
export function serviceLine({ plan, change, chosen, id, onChange }: ServiceLineProps): PlanLine {
  const notes = serviceNotes(plan, change, chosen);
  return {
    key: id,
    ...planRowFacts(plan),
    notes,
    markId: id,
    mark: (
      <BareCheckbox
        id={id}
        label={plan.name}
        checked={chosen}
        describedBy={notes.length > 0 ? notesId(id) : undefined}
        onChange={onChange}
      />
    ),
  };
}

/** The row of a current plan that can only be canceled, with the reason. */
export function fixedLine(plan: Plan): PlanLine {
  return {
    key: plan.subId,
    ...planRowFacts(plan),
    notes: [...planNotes(plan), onlyCancelableSentence(plan)],
    mark: <BareCheckbox label={plan.name} checked={!isEnding(plan)} />,
  };
}

function serviceNotes(
  plan: Choosable,
  change: ServicesChange | undefined,
  chosen: boolean,
): string[] {
  if (!isCurrentPlan(plan)) {
    const offer = `Add for ${formatInlinePrice(plan.amount, plan)}`;
    return [chosen ? 'Starts when you save your changes' : offer];
  }
  const futurePlan = change?.existingPlans.find(({ subId }) => subId === plan.subId);
  if (chosen && change?.keptAgain.includes(plan.id))
    return ['You’re keeping it. It will renew as usual.'];
  return planNotes(futurePlan ?? plan);
}
