import { type RefObject, useEffect, useRef } from 'react';

/** A browser takes the focus out of a dialog that has closed only when it draws next. */
export function focusIsLost(): boolean {
  const focused = document.activeElement;
  const isNowhere = focused === null || focused === document.body;
  return isNowhere || focused.closest('dialog:not([open])') !== null;
}

/**
 * Gives the focus a place when what held it has gone: a button that its own success removed.
 * Put the ref on something with `tabIndex={-1}`; it is looked at whenever `state` changes.
 */
export function useFocusIfLost<T extends HTMLElement>(state: unknown): RefObject<T | null> {
  const place = useRef<T>(null);
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current === state) return;
    seen.current = state;
    if (focusIsLost()) place.current?.focus();
  }, [state]);
  return place;
}
