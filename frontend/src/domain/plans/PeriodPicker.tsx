import { useId } from 'react';
import type { OfferedPlan, SoldPeriodUnit } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { RadioTile } from '@/ui/forms/RadioTile';
import { largestYearlySaving } from './offeredPlans';
import styles from './PeriodPicker.module.css';

interface PeriodPickerProps {
  offered: readonly OfferedPlan[];
  /** Null hides the choice. */
  periodUnit: SoldPeriodUnit | null;
  onChoose: (periodUnit: SoldPeriodUnit) => void;
}

/** Radio buttons for monthly and annual billing, with what a year saves. */
export function PeriodPicker({ offered, periodUnit, onChoose }: PeriodPickerProps) {
  const group = useId();
  if (periodUnit === null) return null;
  const saving = largestYearlySaving(offered);
  return (
    <fieldset className={styles.periods}>
      <legend className={styles.legend}>How would you like to pay?</legend>
      <div className={styles.tiles}>
        <RadioTile
          group={group}
          label="Monthly"
          checked={periodUnit === 'month'}
          onChoose={() => onChoose('month')}
        />
        <RadioTile
          group={group}
          label="Annually"
          checked={periodUnit === 'year'}
          onChoose={() => onChoose('year')}
        >
          {saving > 0 && (
            <span className={styles.saving}>
              Save up to {formatCents(saving, offered[0]?.currencyCode)} a year
            </span>
          )}
        </RadioTile>
      </div>
    </fieldset>
  );
}
