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
  /** There is more than one to choose from. */
  isChoice: boolean;
  toggle: (plan: Plan, on: boolean) => void;
}

function isNamed(named: readonly string[], { subId }: Plan): boolean {
  return named.length === 0 || named.includes(subId);
}

/**
 * Which subscriptions somebody is about to leave. What is active or in trial is checked, what is paused
 * is not, since it would end at once; where there is only one, it is what the screen is about.
 */
export function useLeaving(held: readonly Plan[]): Leaving {
  const [named] = useNamed(SELECTED);
  const [pressed, setPressed] = useFormDraft<Readonly<Record<string, boolean>>>('leaving', {});
  const cancellable = held.filter(canBeCancelled);
  const listed = cancellable.filter((plan) => isNamed(named, plan));
  const isChoice = listed.length > 1;
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
