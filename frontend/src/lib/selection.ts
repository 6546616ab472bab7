/** Subscription ids travel as a repeated `ids` parameter, so that a reload or the way back keeps them. */
const PARAMETER = 'ids';

/** The ids an address names, each once. */
export function selectedIds(query: URLSearchParams): string[] {
  return [...new Set(query.getAll(PARAMETER))].filter((id) => id !== '');
}

/** The query that names these ids; for none, an empty one. */
export function selectionQuery(ids: readonly string[]): URLSearchParams {
  return new URLSearchParams(ids.map((id) => [PARAMETER, id]));
}

/** The address of a screen about these subscriptions; for none, about all of them. */
export function withSelection(path: string, ids: readonly string[]): string {
  return ids.length === 0 ? path : `${path}?${selectionQuery(ids)}`;
}
