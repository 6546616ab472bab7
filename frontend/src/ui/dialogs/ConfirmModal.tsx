import type { ReactNode } from 'react';

import { Button } from '@/ui/buttons/Button';
import styles from './ConfirmModal.module.css';
import { Dialog } from './Dialog';

interface ConfirmModalProps {
  open: boolean;
  title: string;
  message?: ReactNode;
  /** Longer content, such as figures and errors. */
  children?: ReactNode;
  /** Shown in a block headed 'Warning'. */
  warningContent?: ReactNode;
  confirmBtnText?: string;
  cancelBtnText?: string;
  /** Disables the confirm button. */
  confirmDisabled?: boolean;
  /** The confirmed action is running: the buttons and Escape do nothing. */
  busy?: boolean;
  /** Shown while busy, if the action takes longer than expected. */
  busyNote?: string | null;
  onConfirm: () => void;
  onCancel: () => void;
}

/** A confirmation dialog. Only its buttons and Escape close it. */
export function ConfirmModal({
  open,
  title,
  message,
  children,
  warningContent,
  confirmBtnText = 'YES, DOWNGRADE',
  cancelBtnText = 'NO, CANCEL',
  confirmDisabled = false,
  busy = false,
  busyNote,
  onConfirm,
  onCancel,
}: ConfirmModalProps) {
  const cancel = () => {
    if (!busy) onCancel();
  };
  const buttons = (
    <>
      <Button variant="secondary" onClick={cancel}>
        {cancelBtnText}
      </Button>
      <Button busy={busy} disabled={confirmDisabled} onClick={onConfirm}>
        {confirmBtnText}
      </Button>
    </>
  );
  return (
    <Dialog open={open} title={title} footer={buttons} onClose={cancel} staticBackdrop>
      {message && <div>{message}</div>}
      {warningContent && (
        <div className={styles.warning}>
          <h3 className={styles.heading}>Warning</h3>
          <p>{warningContent}</p>
        </div>
      )}
      {children}
      <p role="status" className={styles.note}>
        {busy && busyNote}
      </p>
    </Dialog>
  );
}
