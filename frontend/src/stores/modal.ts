import { create } from 'zustand';

import { whenSessionChanges } from '@/stores/auth';

interface ModalContent {
  title: string;
  message: string;
  warningContent?: string;
  confirmBtnText?: string;
  /** Whatever the confirmation is about; handed to `onConfirm`. */
  modalData?: unknown;
  /** Runs on the confirm button; the dialog stays, busy, until a returned promise settles. */
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

/** The one confirmation dialog. Its words stay while it closes, so that it does not empty in view. */
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

whenSessionChanges(() => useModal.getState().close());
