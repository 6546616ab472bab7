import type { ComponentProps } from 'react';

import { TextField } from '@/ui/Field';
import type { DetailName, useCardDetails } from './useCardDetails';

type DetailFieldProps = Pick<
  ComponentProps<typeof TextField>,
  'label' | 'autoComplete' | 'maxLength'
> & {
  details: ReturnType<typeof useCardDetails>;
  name: DetailName;
};

/** One line about whose card it is. */
export function DetailField({ details, name, ...field }: DetailFieldProps) {
  return (
    <TextField
      {...field}
      name={name}
      required
      value={details.typed[name]}
      error={details.problems[name] ?? null}
      onChange={(event) => details.change(name, event.target.value)}
    />
  );
}
