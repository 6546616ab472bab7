import { useCallback, useRef, useState } from 'react';

import {
  ALL_FIELDS_UNTOUCHED,
  applyEvent,
  type HostedFieldEvent,
  type HostedFieldKind,
  type HostedFieldState,
  type HostedFieldStates,
} from './hostedFields';

/** The state of each of the provider's fields since they were mounted. */
export function useHostedFields() {
  const [states, setStates] = useState<HostedFieldStates>(ALL_FIELDS_UNTOUCHED);
  const [edits, setEdits] = useState(0);
  const awaitedFocus = useRef<HostedFieldKind | null>(null);
  const updateField = useCallback(
    (kind: HostedFieldKind, update: (state: HostedFieldState) => HostedFieldState) =>
      setStates((previous) => ({ ...previous, [kind]: update(previous[kind]) })),
    [],
  );
  return {
    states,
    /** The field that was clicked last, if it was not ready then. */
    awaitedFocus,
    /** Counts keystrokes, because the contents of the fields are not readable. */
    edits,
    recordEdit: useCallback(
      (kind: HostedFieldKind, event: HostedFieldEvent) => {
        setEdits((previous) => previous + 1);
        updateField(kind, (state) => applyEvent(state, event));
      },
      [updateField],
    ),
    recordEvent: useCallback(
      (kind: HostedFieldKind, event: HostedFieldEvent) =>
        updateField(kind, (state) => applyEvent(state, event)),
      [updateField],
    ),
    markReady: useCallback(
      (kind: HostedFieldKind) => updateField(kind, (state) => ({ ...state, isReady: true })),
      [updateField],
    ),
    setFocused: useCallback(
      (kind: HostedFieldKind, isFocused: boolean) =>
        updateField(kind, (state) => ({ ...state, isFocused })),
      [updateField],
    ),
    resetFields: useCallback(() => setStates(ALL_FIELDS_UNTOUCHED), []),
  };
}

export type HostedFields = ReturnType<typeof useHostedFields>;
