/** Whether two lists hold the same ids. */
export function haveSameIds(ids: readonly string[], otherIds: readonly string[]): boolean {
  return ids.length === otherIds.length && ids.every((id) => otherIds.includes(id));
}
