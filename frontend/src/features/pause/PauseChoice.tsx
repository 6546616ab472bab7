import type { Plan } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { Checkbox } from '@/ui/Checkbox';
import { LiveFieldError } from '@/ui/FieldError';
import styles from './PauseChoice.module.css';
import type { usePauseSelection } from './usePauseSelection';

interface PauseChoiceProps {
  pausable: readonly Plan[];
  selection: ReturnType<typeof usePauseSelection>;
}

/** Checkboxes to choose the subscriptions to pause. */
export function PauseChoice({ pausable, selection }: PauseChoiceProps) {
  const { chosen, isRefused, togglePlan } = selection;
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>What would you like to pause?</legend>
      {pausable.map((plan) => (
        <Checkbox
          key={plan.subId}
          label={
            <span className={styles.plan}>
              {plan.name}{' '}
              <span className={styles.price}>{formatPrice(plan.amount, plan.periodUnit)}</span>
            </span>
          }
          checked={chosen.includes(plan)}
          onChange={(on) => togglePlan(plan, on)}
        />
      ))}
      <LiveFieldError>{isRefused && 'Select at least one subscription to pause.'}</LiveFieldError>
    </fieldset>
  );
}
