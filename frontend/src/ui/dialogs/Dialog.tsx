import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

import styles from './Dialog.module.css';

interface DialogProps {
  open: boolean;
  title: ReactNode;
  children: ReactNode;
  /**
   * The buttons. The first one gets the focus if the dialog fits the window, so it should change
   * nothing.
   */
  footer: ReactNode;
  /** Called on Escape, and on a click outside the dialog unless the backdrop is static. */
  onClose: () => void;
  /** Ignores clicks outside the dialog. */
  staticBackdrop?: boolean;
}

/**
 * Opens and closes the native dialog, which traps the focus and returns it. Where it is taller than
 * the window, the title gets the focus, because the buttons are out of view. `recheck` reopens it
 * after the browser has closed it, as browsers do on a second close request without user input in
 * between.
 */
function useModalElement(open: boolean) {
  const element = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const footer = useRef<HTMLDivElement>(null);
  const [recheckCount, setRecheckCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a recheck has to run the effect.
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (!open) return dialog.close();
    dialog.showModal();
    const isTall = dialog.scrollHeight > dialog.clientHeight;
    (isTall ? title.current : footer.current?.querySelector('button'))?.focus();
    if (isTall) dialog.scrollTop = 0;
  }, [open, recheckCount]);
  return { element, title, footer, recheck: () => setRecheckCount((count) => count + 1) };
}

/**
 * A modal dialog. Keep it mounted and toggle `open`, because an unmounted dialog does not return
 * the focus.
 */
export function Dialog({
  open,
  title,
  children,
  footer,
  onClose,
  staticBackdrop = false,
}: DialogProps) {
  const modal = useModalElement(open);
  const { element, recheck } = modal;
  const titleId = useId();
  const handleClick = (event: MouseEvent) => {
    if (!staticBackdrop && event.target === element.current) onClose();
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // By default a second Escape would close the dialog even while it is busy.
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      className={styles.dialog}
      onClick={handleClick}
      onKeyDown={handleKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // The event is asynchronous, so the dialog may be open again.
        if (!open || element.current?.open) return;
        onClose();
        recheck();
      }}
    >
      <div className={styles.panel}>
        <h2 id={titleId} ref={modal.title} tabIndex={-1} className={styles.title}>
          {title}
        </h2>
        <div className={styles.body}>{children}</div>
        <div ref={modal.footer} className={styles.footer}>
          {footer}
        </div>
      </div>
    </dialog>
  );
}
