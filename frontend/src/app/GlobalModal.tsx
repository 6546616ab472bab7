import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';

import { notifyError } from '@/lib/notices';
import { useLoader } from '@/stores/loader';
import { useModal } from '@/stores/modal';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { focusIsLost } from '@/ui/useFocusIfLost';

/** Gives the focus to the screen's heading where what was confirmed took away what had opened the dialog. */
function useFocusAfter(open: boolean): void {
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && focusIsLost()) document.querySelector('h1')?.focus();
    wasOpen.current = open;
  }, [open]);
}

/** The one confirmation dialog, drawn from its store; it goes with the screen that asks. */
export function GlobalModal() {
  const { open, title, message, warningContent, confirmBtnText, modalData, onConfirm, close } =
    useModal();
  const confirming = useLoader(({ message: note }) => note);
  const [busy, setBusy] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: leaving the screen is what closes it.
  useEffect(() => close, [pathname, close]);
  useFocusAfter(open);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm(modalData);
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
      close();
    }
  };
  return (
    <ConfirmModal
      open={open}
      title={title}
      message={message}
      warningContent={warningContent}
      confirmBtnText={confirmBtnText ?? undefined}
      busy={busy}
      busyNote={confirming}
      onConfirm={confirm}
      onCancel={close}
    />
  );
}
