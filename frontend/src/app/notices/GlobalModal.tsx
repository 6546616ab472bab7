import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';

import { notifyError } from '@/lib/api/notifyError';
import { useLoader } from '@/stores/loader';
import { useModal } from '@/stores/modal';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { useFocusHeadingAfterClose } from '@/ui/lostFocus';

/** The global confirmation dialog, rendered from its store. It closes on navigation. */
export function GlobalModal() {
  const { open, title, message, warningContent, confirmBtnText, modalData, onConfirm, close } =
    useModal();
  const confirmingNote = useLoader(({ message: note }) => note);
  const [busy, setBusy] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes it.
  useEffect(() => close, [pathname, close]);
  useFocusHeadingAfterClose(open);
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
      busyNote={confirmingNote}
      onConfirm={confirm}
      onCancel={close}
    />
  );
}
