import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';

import styles from '@/ui/Dialog.module.css';

interface DialogProps {
  open: boolean;
  title: ReactNode;
  children: ReactNode;
  /** The buttons; the one that changes nothing comes first and so takes the focus. */
  footer: ReactNode;
  /** Escape, and a press beside the dialog unless the backdrop is static. */
  onClose: () => void;
  /** A press beside the dialog does nothing. */
  staticBackdrop?: boolean;
}

/** Shows and closes the native dialog as `open` says: it traps the focus and gives it back. */
function useModalElement(open: boolean) {
  const element = useRef<HTMLDialogElement>(null);
  const footer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (!open) return dialog.close();
    dialog.showModal();
    footer.current?.querySelector('button')?.focus();
  }, [open]);
  return { element, footer };
}

/**
 * A modal dialog. Keep it mounted and move `open`, since the focus returns only to one that stays.
 */
export function Dialog({
  open,
  title,
  children,
  footer,
  onClose,
  staticBackdrop = false,
}: DialogProps) {
  const { element, footer: footerElement } = useModalElement(open);
  const titleId = useId();
  const pressBeside = (event: MouseEvent) => {
    if (!staticBackdrop && event.target === element.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does for the keyboard what a press beside does.
    <dialog
      ref={element}
      aria-labelledby={titleId}
      className={styles.dialog}
      onClick={pressBeside}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        if (open) onClose();
      }}
    >
      <div className={styles.panel}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <div className={styles.body}>{children}</div>
        <div ref={footerElement} className={styles.footer}>
          {footer}
        </div>
      </div>
    </dialog>
  );
}
