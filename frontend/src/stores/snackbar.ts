import { create } from 'zustand';

export type Severity = 'success' | 'warning' | 'error';

interface SnackbarState {
  visible: boolean;
  content: string;
  severity: Severity;
  /** Counts messages, so that repeated text is announced again. */
  sequence: number;
  show: (content: string, severity?: Severity) => void;
  hide: () => void;
}

/** The global snackbar. */
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
export function showSnackbar(content: string, severity: Severity = 'success'): void {
  useSnackbar.getState().show(content, severity);
}
