import { create } from 'zustand';

export type Severity = 'success' | 'warning' | 'error';

interface SnackbarState {
  visible: boolean;
  content: string;
  severity: Severity;
  /** Grows with every message, so that the same words twice are said twice. */
  sequence: number;
  show: (content: string, severity?: Severity) => void;
  hide: () => void;
}

/** The one short message at the bottom of the window. */
export const useSnackbar = create<SnackbarState>()((set) => ({
  visible: false,
  content: '',
  severity: 'success',
  sequence: 0,
  show: (content, severity = 'success') =>
    set(({ sequence }) => ({ visible: true, content, severity, sequence: sequence + 1 })),
  hide: () => set({ visible: false }),
}));

/** Shows a message from anywhere, inside a component or out. */
export function notify(content: string, severity: Severity = 'success'): void {
  useSnackbar.getState().show(content, severity);
}
