import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import {
  endsAtOnce,
  formatPlanNames,
  isEnding,
  isLive,
  lostPriceSentence,
  planNotes,
  setAsideSentence,
} from '@/domain/plans/plans';
import type { PlanChangeRequest } from '@/features/subscriptions/shared/api';
import type { ManagePlans, OfferedPlan, Plan, ServicesChange } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';

/** A current plan or one that can be added. */
export type Choosable = Plan | OfferedPlan;

export function isCurrentPlan(plan: Choosable): plan is Plan {
  return plan.subId !== null;
}

/** All plans to choose from: the current ones that can be changed, then those that can be added. */
export function choosablePlans({ existingPlans, plans }: ManagePlans): Choosable[] {
  return [...existingPlans.filter((plan) => isLive(plan) && plan.isChangeable), ...plans];
}

/** The current plans that can only be canceled. They are listed, and stay as they are. */
export function unchangeablePlans({ existingPlans }: Pick<ManagePlans, 'existingPlans'>): Plan[] {
  return existingPlans.filter((plan) => isLive(plan) && !plan.isChangeable);
}

/** The ids of the current plans that renew. */
export function renewingPlanIds({ existingPlans }: ManagePlans): string[] {
  const renewing = existingPlans.filter(
    (plan) => isLive(plan) && !isEnding(plan) && plan.isChangeable,
  );
  return renewing.map(({ id }) => id);
}

/**
 * The wanted plans after checking or unchecking one: at most one per service, in the order of
 * `all`.
 */
export function togglePlan(
  items: readonly string[],
  plan: Choosable,
  isOn: boolean,
  all: readonly Choosable[],
): string[] {
  const wanted = all.filter(({ id, service }) => {
    if (id === plan.id) return isOn;
    return items.includes(id) && !(isOn && service === plan.service);
  });
  return wanted.map(({ id }) => id);
}

/** The plans of these ids. Another subscription to one of them takes no part in the change. */
function findPlans<T extends Pick<Plan, 'id' | 'isChangeable'>>(
  plans: readonly T[],
  ids: readonly string[],
): T[] {
  return plans.filter(({ id, isChangeable }) => isChangeable && ids.includes(id));
}

/** The subscriptions that a change has set to end. */
export function removedPlans(change: ServicesChange, plans: readonly Plan[]): Plan[] {
  return findPlans(plans, change.removed);
}

/** Sentences about a change of services: `will` before it is made, `did` after. */
export function changeSentences(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
  tense: 'will' | 'did',
): string[] {
  const removed = removable.filter(({ id }) => change.removed.includes(id));
  const [adds, removes, keeps] =
    tense === 'will'
      ? ['You’re adding', 'You’re removing', 'You’re keeping']
      : ['You added', 'You removed', 'You kept'];
  return [
    ...planSentence(adds, findPlans(change.existingPlans, change.added)),
    ...planSentence(removes, removed),
    ...planSentence(keeps, findPlans(change.existingPlans, change.keptAgain)),
  ];
}

function planSentence(start: string | undefined, plans: readonly { name: string }[]): string[] {
  return plans.length > 0 ? [`${start} ${formatPlanNames(plans)}.`] : [];
}

/** Sentences about when access to each removed plan ends. */
export function removalSentences(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
): string[] {
  return removable
    .filter(({ id }) => change.removed.includes(id))
    .flatMap(({ id, name }) => {
      const ending = findPlans(change.existingPlans, [id]).find(isEnding);
      return ending?.cancelAt ? planNotes(ending) : [`Your access to ${name} ends immediately.`];
    });
}

/** Sentences about what the removed plans have scheduled, which their end takes the place of. */
export function setAsideSentences(change: ServicesChange, all: readonly Choosable[]): string[] {
  const removed = all.filter(isCurrentPlan).filter(({ id }) => change.removed.includes(id));
  const pausing = removed.filter(({ hasScheduledPause }) => hasScheduledPause);
  const changing = removed.filter(({ hasScheduledChange }) => hasScheduledChange);
  return [
    ...(pausing.length > 0 ? [setAsideSentence('pause', pausing)] : []),
    ...(changing.length > 0 ? [setAsideSentence('change', changing)] : []),
  ];
}

/** Sentences about prices that are lost, because a removed plan ends at once. */
export function lostPriceSentences(change: ServicesChange, all: readonly Choosable[]): string[] {
  return all
    .filter(isCurrentPlan)
    .filter((plan) => change.removed.includes(plan.id) && endsAtOnce(plan))
    .flatMap(lostPriceSentence);
}

/** The label of the confirm button, in capitals like the dialog's other button. */
export function servicesConfirmLabel(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
): string {
  const removed = removable.filter(({ id }) => change.removed.includes(id));
  const parts = [
    ...confirmPart('add', findPlans(change.existingPlans, change.added)),
    ...confirmPart('remove', removed),
    ...confirmPart('keep', findPlans(change.existingPlans, change.keptAgain)),
  ];
  const action = parts.length === 1 ? parts[0] : 'change my services';
  const payment =
    change.dueNow > 0 ? ` and pay ${formatCents(change.dueNow, change.dueCurrencyCode)}` : '';
  return `Yes, ${action}${payment}`;
}

function confirmPart(verb: string, plans: readonly { name: string }[]): string[] {
  return plans.length > 0 ? [`${verb} ${formatPlanNames(plans)}`] : [];
}

/** What the bank can be asked to confirm; null if nothing is charged. */
export function servicesCharge(
  change: ServicesChange,
  order: Omit<PlanChangeRequest, 'quote'>,
  all: readonly Choosable[],
): DeclinedCharge | null {
  if (change.charges.length === 0) return null;
  return {
    path: '/api/account/add-remove-service',
    body: { ...order, quote: change.quote },
    amounts: change.charges,
    currencyCode: change.dueCurrencyCode,
    doneMessage: changeSentences(change, all, 'did').join(' '),
  };
}
