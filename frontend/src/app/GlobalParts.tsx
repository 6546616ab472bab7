import { useEffect, useRef, useState } from 'react';

import { notifyError } from '@/lib/notices';
import { useLoader } from '@/stores/loader';
import { useModal } from '@/stores/modal';
import { useSnackbar } from '@/stores/snackbar';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { Snackbar } from '@/ui/Snackbar';
import { focusIsLost } from '@/ui/useFocusIfLost';

/** The one confirmation dialog, 'Loading' overlay and snackbar, drawn from their stores. */
export function GlobalParts() {
  return (
    <>
      <GlobalModal />
      <GlobalLoader />
      <GlobalSnackbar />
    </>
  );
}

/** Gives the focus to the screen's heading where what was confirmed took away what had opened the dialog. */
function useFocusAfter(open: boolean): void {
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && focusIsLost()) document.querySelector('h1')?.focus();
    wasOpen.current = open;
  }, [open]);
}

function GlobalModal() {
  const { open, title, message, warningContent, confirmBtnText, modalData, onConfirm, close } =
    useModal();
  const confirming = useLoader(({ message: note }) => note);
  const [busy, setBusy] = useState(false);
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

function GlobalLoader() {
  const { pending, message } = useLoader();
  return pending > 0 ? <LoaderOverlay message={message} /> : null;
}

function GlobalSnackbar() {
  const { visible, content, severity, sequence, hide } = useSnackbar();
  return (
    <Snackbar
      visible={visible}
      content={content}
      severity={severity}
      sequence={sequence}
      onHide={hide}
    />
  );
}
