import { useState } from 'react';
import { IDS_PARAMETER } from '@/domain/plans/planAddresses';
import { canBeCancelled, canBePaused, willBill } from '@/domain/plans/plans';
import { type PlanSelection, useRefusal } from '@/domain/plans/usePlanSelection';
import type { Plan } from '@/lib/api/types';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import { useIdsInUrl } from '@/lib/hooks/useIdsInUrl';

export interface CancelSelection extends PlanSelection {
  /** The cancelable plans among those in the URL. */
  listed: readonly Plan[];
  /** The cancelable plans that are not chosen. */
  staying: readonly Plan[];
  /** The chosen plans that the pause offer would pause. */
  pausable: readonly Plan[];
  /** The chosen plans that the pause offer would leave as they are, and that are billed meanwhile. */
  billedMeanwhile: readonly Plan[];
  /** The pause offer could pause a chosen plan or, while none is chosen, a listed one. */
  canPause: boolean;
  /** There are several plans to choose from, or there were before a failed attempt. */
  isChoice: boolean;
}

function isInAddress(idsInUrl: readonly string[], { subId }: Plan): boolean {
  return idsInUrl.length === 0 || idsInUrl.includes(subId);
}

/**
 * Whether this URL has ever listed several plans. The last one left after the others were canceled
 * keeps its checkbox, because the subscriber did not choose it.
 */
function useWasChoice(idsInUrl: readonly string[], listed: readonly Plan[]): boolean {
  const address = idsInUrl.join(' ');
  const [choiceAt, setChoiceAt] = useState<string | null>(null);
  if (listed.length > 1 && choiceAt !== address) setChoiceAt(address);
  return listed.length > 1 || choiceAt === address;
}

/**
 * The active plans and trials that this URL has listed first. One that is resumed or started
 * elsewhere meanwhile is not among them, because the subscriber did not choose it.
 */
function usePreselectedIds(
  idsInUrl: readonly string[],
  listed: readonly Plan[],
): readonly string[] {
  const address = idsInUrl.join(' ');
  const [first, setFirst] = useState<{ address: string; ids: readonly string[] } | null>(null);
  if (listed.length > 0 && first?.address !== address) {
    setFirst({ address, ids: listed.filter(willBill).map(({ subId }) => subId) });
  }
  return first?.address === address ? first.ids : [];
}

/**
 * The subscriptions to cancel. Active plans and trials are preselected; paused plans are not,
 * because they would end at once. A plan that is alone from the start is always selected.
 */
export function useCancelSelection(held: readonly Plan[]): CancelSelection {
  const [idsInUrl] = useIdsInUrl(IDS_PARAMETER);
  const [toggled, setToggled] = useFormDraft<Readonly<Record<string, boolean>>>('leaving', {});
  const cancellable = held.filter(canBeCancelled);
  const listed = cancellable.filter((plan) => isInAddress(idsInUrl, plan));
  const isChoice = useWasChoice(idsInUrl, listed) || listed.some(({ subId }) => subId in toggled);
  const preselectedIds = usePreselectedIds(idsInUrl, listed);
  const chosen = listed.filter((plan) => {
    const isPreselected = preselectedIds.includes(plan.subId) && willBill(plan);
    return !isChoice || (toggled[plan.subId] ?? isPreselected);
  });
  const { setRefused, ...refusal } = useRefusal();
  return {
    ...refusal,
    outdated: null,
    listed,
    chosen,
    staying: cancellable.filter((plan) => !chosen.includes(plan)),
    pausable: chosen.filter(canBePaused),
    billedMeanwhile: chosen.filter(
      (plan) => willBill(plan) && !canBePaused(plan) && !plan.hasScheduledPause,
    ),
    canPause: (chosen.length > 0 ? chosen : listed).some(canBePaused),
    isChoice,
    togglePlan: ({ subId }, on) => {
      setRefused(null);
      setToggled((previous) => ({ ...previous, [subId]: on }));
    },
  };
}
