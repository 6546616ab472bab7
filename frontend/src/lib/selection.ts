import { paths } from '@/lib/paths';

/** Subscription ids travel as a repeated parameter, so that a reload or the way back keeps them. */
export const SELECTED = 'ids';

/** The address of a screen about these subscriptions; for none, about all of them. */
export function withSelection(path: string, ids: readonly string[]): string {
  return ids.length === 0
    ? path
    : `${path}?${new URLSearchParams(ids.map((id) => [SELECTED, id]))}`;
}

/** The plan that somebody comes to the plan screen for. */
export const TO_ADD = 'add';

/** The address of the plan screen with a plan to be added, which nothing adds before it is confirmed. */
export function addressToAdd(planId: string): string {
  return `${paths.manageSubscription}?${new URLSearchParams({ [TO_ADD]: planId })}`;
}

/** Whether two lists hold the same ids. */
export function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
