import { PlanChoices } from '@/domain/plans/PlanChoices';
import type { PlanSelection } from '@/domain/plans/usePlanSelection';
import type { Plan } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { Checkbox } from '@/ui/forms/Checkbox';
import styles from './PauseChoice.module.css';

interface PauseChoiceProps {
  pausable: readonly Plan[];
  selection: PlanSelection;
}

/** Checkboxes to choose the subscriptions to pause. */
export function PauseChoice({ pausable, selection }: PauseChoiceProps) {
  const { chosen, togglePlan } = selection;
  return (
    <PlanChoices selection={selection}>
      <fieldset className={styles.choice}>
        <legend className={styles.legend}>What would you like to pause?</legend>
        {pausable.map((plan) => (
          <Checkbox
            key={plan.subId}
            label={
              <span className={styles.plan}>
                {plan.name} <span className={styles.price}>{formatPrice(plan.amount, plan)}</span>
              </span>
            }
            checked={chosen.includes(plan)}
            onChange={(on) => togglePlan(plan, on)}
          />
        ))}
      </fieldset>
    </PlanChoices>
  );
}
