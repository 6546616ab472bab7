import { useCallback, useState } from 'react';

import {
  ALL_UNTOUCHED,
  afterEvent,
  type HostedEvent,
  type HostedKind,
  type HostedState,
  type HostedStates,
} from './hostedFields';

/** What the provider has told of each field, since they were drawn. */
export function useHostedStates() {
  const [states, setStates] = useState<HostedStates>(ALL_UNTOUCHED);
  const [edits, setEdits] = useState(0);
  const change = useCallback(
    (kind: HostedKind, to: (state: HostedState) => HostedState) =>
      setStates((before) => ({ ...before, [kind]: to(before[kind]) })),
    [],
  );
  return {
    states,
    /** Grows with every keystroke: what is in the fields cannot be seen. */
    edits,
    edited: useCallback(
      (kind: HostedKind, event: HostedEvent) => {
        setEdits((before) => before + 1);
        change(kind, (state) => afterEvent(state, event));
      },
      [change],
    ),
    heard: useCallback(
      (kind: HostedKind, event: HostedEvent) => change(kind, (state) => afterEvent(state, event)),
      [change],
    ),
    ready: useCallback(
      (kind: HostedKind) => change(kind, (state) => ({ ...state, isReady: true })),
      [change],
    ),
    focused: useCallback(
      (kind: HostedKind, isFocused: boolean) => change(kind, (state) => ({ ...state, isFocused })),
      [change],
    ),
    forget: useCallback(() => setStates(ALL_UNTOUCHED), []),
  };
}

export type Hosted = ReturnType<typeof useHostedStates>;
