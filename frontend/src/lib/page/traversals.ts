/** Reads Back or Forward before the router does; true keeps it from the router. */
type TraversalGuard = (event: PopStateEvent) => boolean;

let guard: TraversalGuard | null = null;

/**
 * Lets a guard hold back what Back and Forward do. To be called before the router listens: browsers
 * call the listeners of the window's own events in the order of their registration, capturing or not.
 */
export function watchTraversals(): void {
  window.addEventListener('popstate', (event) => {
    if (guard?.(event)) event.stopImmediatePropagation();
  });
}

/** Sets the guard of the open screen; returns how to remove it. */
export function guardTraversals(next: TraversalGuard): () => void {
  guard = next;
  return () => {
    guard = null;
  };
}
