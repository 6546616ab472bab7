import type { ManagePlans, OfferedPlan, Plan, ServicesChange } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { isEnding, isLive, namesOf, planNotes } from '@/lib/plans';

/** A plan that is held or that could be. */
export type Choosable = Plan | OfferedPlan;

export function isHeld(plan: Choosable): plan is Plan {
  return plan.subId !== null;
}

/** Everything that can be chosen: what is held, then what could be added. */
export function choosable({ existingPlans, plans }: ManagePlans): Choosable[] {
  return [...existingPlans.filter(isLive), ...plans];
}

/** The ids of the plans held that go on. */
export function goingOn({ existingPlans }: ManagePlans): string[] {
  return existingPlans.filter((plan) => isLive(plan) && !isEnding(plan)).map(({ id }) => id);
}

/** What is wanted once a plan is chosen or not: at most one of a service, in the order of `all`. */
export function toggled(
  items: readonly string[],
  plan: Choosable,
  on: boolean,
  all: readonly Choosable[],
): string[] {
  const wanted = all.filter(({ id, service }) => {
    if (id === plan.id) return on;
    return items.includes(id) && !(on && service === plan.service);
  });
  return wanted.map(({ id }) => id);
}

function chosen(change: ServicesChange, ids: readonly string[]) {
  return change.existingPlans.filter(({ id }) => ids.includes(id));
}

/** What a change of services does, in sentences: `will` before it is made, `did` after. */
export function changeSentences(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
  tense: 'will' | 'did',
): string[] {
  const removed = removable.filter(({ id }) => change.removed.includes(id));
  const [adds, removes, keeps] =
    tense === 'will'
      ? ['You add', 'You remove', 'You keep']
      : ['You added', 'You removed', 'You keep'];
  return [
    ...sentence(adds, chosen(change, change.added)),
    ...sentence(removes, removed),
    ...sentence(keeps, chosen(change, change.keptAgain)),
  ];
}

function sentence(start: string | undefined, plans: readonly { name: string }[]): string[] {
  return plans.length > 0 ? [`${start} ${namesOf(plans)}.`] : [];
}

/** When the access to each removed plan ends, in sentences. */
export function removalSentences(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
): string[] {
  return removable
    .filter(({ id }) => change.removed.includes(id))
    .flatMap(({ id, name }) => {
      const ending = change.existingPlans.find((plan) => plan.id === id && isEnding(plan));
      return ending?.cancelAt ? planNotes(ending) : [`Your access to ${name} ends at once.`];
    });
}

/** The words of the button that makes the change, as everything on that dialog's buttons in capitals. */
export function confirmWords(
  change: ServicesChange,
  removable: readonly { id: string; name: string }[],
): string {
  const removed = removable.filter(({ id }) => change.removed.includes(id));
  const parts = [
    ...part('ADD', chosen(change, change.added)),
    ...part('REMOVE', removed),
    ...part('KEEP', chosen(change, change.keptAgain)),
  ];
  const doing = parts.length === 1 ? parts[0] : 'CHANGE MY SERVICES';
  const paying = change.dueNow > 0 ? ` AND PAY ${formatCents(change.dueNow)}` : '';
  return `YES, ${doing}${paying}`;
}

function part(verb: string, plans: readonly { name: string }[]): string[] {
  return plans.length > 0 ? [`${verb} ${namesOf(plans).toUpperCase()}`] : [];
}
