import { type ChangeEvent, useId, useRef } from 'react';

import { Button } from '@/ui/buttons/Button';
import { FieldError } from '@/ui/forms/FieldError';
import { SelectField } from '@/ui/forms/SelectField';
import styles from './BirthdayFields.module.css';
import { MONTHS, selectableDays } from './birthday';

interface BirthdayFieldsProps {
  /** 0 means unset. */
  month: number;
  day: number;
  error: string | null;
  onChange: (some: { bmonth?: number; bday?: number }) => void;
}

/** Month and day of the birthday, both set or both unset. */
export function BirthdayFields({ month, day, error, onChange }: BirthdayFieldsProps) {
  const id = useId();
  const fields = useRef<HTMLFieldSetElement>(null);
  const clear = () => {
    // The button that was pressed goes.
    fields.current?.querySelector('select')?.focus();
    onChange({ bmonth: 0, bday: 0 });
  };
  const selectProps = (name: 'bmonth' | 'bday', value: number) => ({
    name,
    value: String(value),
    'aria-invalid': error ? true : undefined,
    onChange: (event: ChangeEvent<HTMLSelectElement>) =>
      onChange({ [name]: Number(event.target.value) }),
  });
  return (
    <fieldset
      ref={fields}
      className={styles.birthday}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend className={styles.legend}>
        Birthday <span className={styles.optional}>(optional)</span>
      </legend>
      <div className={styles.selects}>
        <SelectField label="Month" {...selectProps('bmonth', month)}>
          <option value="0">Month</option>
          {MONTHS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField label="Day" {...selectProps('bday', day)}>
          <option value="0">Day</option>
          {selectableDays(month).map((dayOfMonth) => (
            <option key={dayOfMonth} value={dayOfMonth}>
              {dayOfMonth}
            </option>
          ))}
        </SelectField>
      </div>
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      {(month !== 0 || day !== 0) && (
        <Button variant="link" onClick={clear}>
          Clear birthday
        </Button>
      )}
    </fieldset>
  );
}
