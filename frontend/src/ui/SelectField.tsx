import type { ComponentProps, ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import { Field } from '@/ui/Field';
import { ChevronDownIcon } from '@/ui/icons/ChevronDownIcon';
import styles from '@/ui/SelectField.module.css';

type SelectFieldProps = Omit<ComponentProps<'select'>, 'id' | 'className'> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null;
};

/** A field in which one of some options is chosen; what a `select` takes goes to it. */
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
