import { create } from 'zustand';

import { onSessionChange } from './auth';

interface ModalContent {
  title: string;
  message: string;
  warningContent?: string;
  confirmBtnText?: string;
  /** Passed to `onConfirm`. */
  modalData?: unknown;
  /** The confirm button's handler; the dialog stays busy until a returned promise settles. */
  onConfirm: (modalData: unknown) => unknown;
}

interface ModalState {
  open: boolean;
  title: string;
  message: string;
  warningContent: string | null;
  confirmBtnText: string | null;
  modalData: unknown;
  onConfirm: ModalContent['onConfirm'];
  show: (content: ModalContent) => void;
  close: () => void;
}

/**
 * The global confirmation dialog. It keeps its text while it closes, so that it does not visibly
 * empty.
 */
export const useModal = create<ModalState>()((set) => ({
  open: false,
  title: '',
  message: '',
  warningContent: null,
  confirmBtnText: null,
  modalData: null,
  onConfirm: () => undefined,
  show: ({ title, message, warningContent, confirmBtnText, modalData, onConfirm }) =>
    set({
      open: true,
      title,
      message,
      warningContent: warningContent ?? null,
      confirmBtnText: confirmBtnText ?? null,
      modalData: modalData ?? null,
      onConfirm,
    }),
  close: () => set({ open: false }),
}));

onSessionChange(() => useModal.getState().close());
