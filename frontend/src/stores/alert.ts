import { create } from 'zustand';

import { onSessionChange } from './auth';

interface AlertContent {
  message: string;
  /** The action button's handler; without it there is no button. */
  callback?: () => void;
  /** The action button's label; 'SAVE CHANGES' by default. */
  alertOperation?: string;
}

interface AlertState {
  open: boolean;
  /** The alert is about a failure. */
  openError: boolean;
  message: string;
  callback: (() => void) | null;
  alertOperation: string | null;
  show: (content: AlertContent) => void;
  showError: (content: AlertContent) => void;
  close: () => void;
}

const CLOSED = { open: false, openError: false, message: '', callback: null, alertOperation: null };

const contentState = ({ message, callback, alertOperation }: AlertContent) => ({
  message,
  callback: callback ?? null,
  alertOperation: alertOperation ?? null,
});

/** The notice under the header, which stays until dismissal or navigation. */
export const useAlert = create<AlertState>()((set) => ({
  ...CLOSED,
  show: (content) => set({ ...contentState(content), open: true, openError: false }),
  showError: (content) => set({ ...contentState(content), open: false, openError: true }),
  close: () => set(CLOSED),
}));

onSessionChange(() => useAlert.getState().close());
