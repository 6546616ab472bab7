import { type RefObject, useRef, useState } from 'react';
import type { Plan } from '@/lib/api/types';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';

/** What is done with a selection, as the messages call it. */
export type SelectionPurpose = 'pause' | 'change' | 'cancel';

/** The refusal of an empty selection: `PlanChoices` shows it. */
interface Refusal {
  /** What was refused; null if nothing was. */
  refused: SelectionPurpose | null;
  /** The element with the checkboxes. */
  choices: RefObject<HTMLDivElement | null>;
  /** Shows that at least one plan has to be chosen, and moves the focus to the checkboxes. */
  refuse: (purpose: SelectionPurpose) => void;
}

/** A selection among plans. */
export interface PlanSelection extends Refusal {
  chosen: readonly Plan[];
  /** Set if the URL selects only plans that can no longer be chosen: what was to be done. */
  outdated: SelectionPurpose | null;
  togglePlan: (plan: Plan, on: boolean) => void;
}

/** Every screen with a selection refuses an empty one in this way. */
export function useRefusal(): Refusal & { setRefused: (purpose: SelectionPurpose | null) => void } {
  const [refused, setRefused] = useState<SelectionPurpose | null>(null);
  const choices = useRef<HTMLDivElement>(null);
  return {
    refused,
    choices,
    refuse: (purpose) => {
      setRefused(purpose);
      choices.current?.querySelector('input')?.focus();
    },
    setRefused,
  };
}

interface UrlSelectionOptions {
  purpose: SelectionPurpose;
  /** The repeated query parameter with the ids. */
  parameter: string;
  idOf: (plan: Plan) => string;
}

/** A selection that the URL keeps. */
export interface UrlSelection extends PlanSelection {
  /** The chosen ids. An empty list means all candidates, unless nothing is chosen. */
  ids: readonly string[];
}

/**
 * The chosen plans, stored in the URL, so that going back restores them. A URL without ids selects
 * all candidates. Ids of plans that can no longer be chosen select nothing, rather than silently
 * everything. The last chosen plan cannot be unchecked.
 */
export function usePlanSelection(
  candidates: readonly Plan[],
  { purpose, parameter, idOf }: UrlSelectionOptions,
): UrlSelection {
  const [idsInUrl, setIdsInUrl] = useIdsInUrl(parameter);
  const { setRefused, ...refusal } = useRefusal();
  const chosen =
    idsInUrl.length === 0 ? candidates : candidates.filter((plan) => idsInUrl.includes(idOf(plan)));

  const togglePlan = (plan: Plan, on: boolean) => {
    const next = candidates.filter((candidate) =>
      candidate === plan ? on : chosen.includes(candidate),
    );
    // The focus stays at the checkbox.
    setRefused(next.length === 0 ? purpose : null);
    if (next.length === 0) return;
    setIdsInUrl(next.length === candidates.length ? [] : next.map(idOf));
  };

  return {
    ...refusal,
    chosen,
    ids: idsInUrl.length === 0 ? [] : chosen.map(idOf),
    outdated: chosen.length === 0 ? purpose : null,
    togglePlan,
  };
}
