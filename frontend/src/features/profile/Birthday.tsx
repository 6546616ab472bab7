import { type ChangeEvent, useId } from 'react';

import { Button } from '@/ui/Button';
import { FieldError } from '@/ui/FieldError';
import { SelectField } from '@/ui/SelectField';
import styles from './Birthday.module.css';
import { daysOffered, MONTHS } from './birthday';

interface BirthdayProps {
  /** 0 is unset. */
  month: number;
  day: number;
  error: string | null;
  onChange: (some: { bmonth?: number; bday?: number }) => void;
}

/** A month and a day of it, both or neither. */
export function Birthday({ month, day, error, onChange }: BirthdayProps) {
  const id = useId();
  const select = (name: 'bmonth' | 'bday', value: number) => ({
    name,
    value: String(value),
    'aria-invalid': error ? true : undefined,
    onChange: (event: ChangeEvent<HTMLSelectElement>) =>
      onChange({ [name]: Number(event.target.value) }),
  });
  return (
    <fieldset className={styles.birthday} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={styles.legend}>
        Birthday <span className={styles.optional}>(optional)</span>
      </legend>
      <div className={styles.selects}>
        <SelectField label="Month" {...select('bmonth', month)}>
          <option value="0">No month</option>
          {MONTHS.map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <SelectField label="Day" {...select('bday', day)}>
          <option value="0">No day</option>
          {daysOffered(month).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </SelectField>
      </div>
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      {(month !== 0 || day !== 0) && (
        <Button variant="link" onClick={() => onChange({ bmonth: 0, bday: 0 })}>
          Clear birthday
        </Button>
      )}
    </fieldset>
  );
}
