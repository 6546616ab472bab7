import type { ReactNode } from 'react';
import { LiveFieldError } from '@/ui/forms/FieldError';
import type { PlanSelection, SelectionPurpose } from './usePlanSelection';

const PARTICIPLES: Record<SelectionPurpose, string> = {
  pause: 'paused',
  change: 'changed',
  cancel: 'canceled',
};

interface PlanChoicesProps {
  selection: Pick<PlanSelection, 'choices' | 'refused' | 'outdated'>;
  /** The checkboxes. */
  children: ReactNode;
}

/** The checkboxes of a selection and, below them, why it was refused. */
export function PlanChoices({ selection, children }: PlanChoicesProps) {
  return (
    <>
      <div ref={selection.choices}>{children}</div>
      <LiveFieldError>{problem(selection)}</LiveFieldError>
    </>
  );
}

function problem({ refused, outdated }: Pick<PlanSelection, 'refused' | 'outdated'>) {
  if (refused) return `Select at least one subscription to ${refused}.`;
  return (
    outdated &&
    `Your selection can’t be ${PARTICIPLES[outdated]} anymore. Select another subscription.`
  );
}
