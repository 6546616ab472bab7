import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

interface AlertContent {
  message: string;
  /** What the action button does; without it the alert has no button. */
  callback?: () => void;
  /** The action button's words, 'SAVE CHANGES' unless told. */
  alertOperation?: string;
}

interface AlertState {
  open: boolean;
  /** The alert is about something that failed. */
  openError: boolean;
  message: string;
  callback: (() => void) | null;
  alertOperation: string | null;
  show: (content: AlertContent) => void;
  showError: (content: AlertContent) => void;
  close: () => void;
}

const closed = { open: false, openError: false, message: '', callback: null, alertOperation: null };

const opened = ({ message, callback, alertOperation }: AlertContent) => ({
  message,
  callback: callback ?? null,
  alertOperation: alertOperation ?? null,
});

/** The notice under the header that stays until it is dismissed or left behind. */
export const useAlert = create<AlertState>()((set) => ({
  ...closed,
  show: (content) => set({ ...opened(content), open: true, openError: false }),
  showError: (content) => set({ ...opened(content), open: false, openError: true }),
  close: () => set(closed),
}));

whenSessionChanges(() => useAlert.getState().close());
