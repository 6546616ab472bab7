import { useState } from 'react';

import type { Plan } from '@/lib/api/types';
import { canBeCancelled, canBePaused, willBill } from '@/lib/plans';
import { SELECTED } from '@/lib/selection';
import { useFormDraft } from '@/lib/useFormDraft';
import { useNamed } from '@/lib/useNamed';

export interface Leaving {
  /** What the screen is about: what can be cancelled, of what the address names. */
  listed: readonly Plan[];
  /** What the button would cancel. */
  chosen: readonly Plan[];
  /** What stays of what goes on being billed. */
  staying: readonly Plan[];
  /** What a pause instead would pause. */
  pausable: readonly Plan[];
  /** There is more than one to choose from, or it is what is left of a choice. */
  isChoice: boolean;
  toggle: (plan: Plan, on: boolean) => void;
}

function isNamed(named: readonly string[], { subId }: Plan): boolean {
  return named.length === 0 || named.includes(subId);
}

/**
 * Whether there has been more than one to choose from at this address. What is left of them after the
 * others have been cancelled stays unchecked where it was: nobody came for that one.
 */
function useWasChoice(named: readonly string[], listed: readonly Plan[]): boolean {
  const address = named.join(' ');
  const [choiceAt, setChoiceAt] = useState<string | null>(null);
  if (listed.length > 1 && choiceAt !== address) setChoiceAt(address);
  return listed.length > 1 || choiceAt === address;
}

/**
 * Which subscriptions somebody is about to leave. What is active or in trial is checked, what is paused
 * is not, since it would end at once; where there is only one from the start, it is what the screen is about.
 */
export function useLeaving(held: readonly Plan[]): Leaving {
  const [named] = useNamed(SELECTED);
  const [pressed, setPressed] = useFormDraft<Readonly<Record<string, boolean>>>('leaving', {});
  const cancellable = held.filter(canBeCancelled);
  const listed = cancellable.filter((plan) => isNamed(named, plan));
  const isChoice = useWasChoice(named, listed) || listed.some(({ subId }) => subId in pressed);
  const chosen = listed.filter((plan) => !isChoice || (pressed[plan.subId] ?? willBill(plan)));
  return {
    listed,
    chosen,
    staying: cancellable.filter((plan) => !chosen.includes(plan)),
    pausable: (chosen.length > 0 ? chosen : listed).filter(canBePaused),
    isChoice,
    toggle: ({ subId }, on) => setPressed((before) => ({ ...before, [subId]: on })),
  };
}
