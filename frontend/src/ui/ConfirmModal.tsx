import type { ReactNode } from 'react';

import { Button } from '@/ui/Button';
import styles from '@/ui/ConfirmModal.module.css';
import { Dialog } from '@/ui/Dialog';

interface ConfirmModalProps {
  open: boolean;
  title: string;
  message?: ReactNode;
  /** More than a sentence: figures, what went wrong. */
  children?: ReactNode;
  /** Shown in a block headed 'Warning'. */
  warningContent?: ReactNode;
  confirmBtnText?: string;
  /** There is nothing to confirm yet. */
  confirmDisabled?: boolean;
  /** What was confirmed is under way: neither button nor Escape does anything until it ends. */
  busy?: boolean;
  /** Said while busy, where that takes longer than one expects. */
  busyNote?: string | null;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something that matters; only its buttons and Escape end it. */
export function ConfirmModal({
  open,
  title,
  message,
  children,
  warningContent,
  confirmBtnText = 'YES, DOWNGRADE',
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
        NO, CANCEL
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
