import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '@/ui/classNames';
import { ChevronDownIcon } from '@/ui/icons/ChevronDownIcon';
import { Field } from './Field';
import styles from './SelectField.module.css';

type SelectFieldProps = Omit<ComponentProps<'select'>, 'id' | 'className'> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null;
};

/** A select field. Other props are passed to the `select`. */
export function SelectField({ label, hint, error, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className={styles.place}>
          <select
            {...select}
            {...control}
            aria-invalid={control['aria-invalid'] ?? select['aria-invalid']}
            className={classNames(control.className, styles.select)}
          />
          <ChevronDownIcon />
        </div>
      )}
    </Field>
  );
}
