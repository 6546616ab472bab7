import { paths } from '@/lib/paths';

/**
 * The repeated query parameter with subscription ids. In the URL they survive a reload and going
 * back.
 */
export const IDS_PARAMETER = 'ids';

/** The URL of a screen for these subscriptions; without ids, for all of them. */
export function addressWithIds(path: string, ids: readonly string[]): string {
  return ids.length === 0
    ? path
    : `${path}?${new URLSearchParams(ids.map((id) => [IDS_PARAMETER, id]))}`;
}

/** The query parameter with the plan to preselect on the plan screen. */
export const ADD_PARAMETER = 'add';

/** The URL of the plan screen with a plan preselected. Nothing is added before confirmation. */
export function addPlanAddress(planId: string): string {
  return `${paths.manageSubscription}?${new URLSearchParams({ [ADD_PARAMETER]: planId })}`;
}
