/** Subscription ids travel as a repeated parameter, so that a reload or the way back keeps them. */
export const SELECTED = 'ids';

/** The address of a screen about these subscriptions; for none, about all of them. */
export function withSelection(path: string, ids: readonly string[]): string {
  return ids.length === 0
    ? path
    : `${path}?${new URLSearchParams(ids.map((id) => [SELECTED, id]))}`;
}
