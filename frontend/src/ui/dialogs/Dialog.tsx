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
  /** The buttons. The first one gets the focus, so it should change nothing. */
  footer: ReactNode;
  /** Called on Escape, and on a click outside the dialog unless the backdrop is static. */
  onClose: () => void;
  /** Ignores clicks outside the dialog. */
  staticBackdrop?: boolean;
}

/**
 * Opens and closes the native dialog, which traps the focus and returns it. `recheck` reopens it
 * after the browser has closed it, as browsers do on a second close request without user input in
 * between.
 */
function useModalElement(open: boolean) {
  const element = useRef<HTMLDialogElement>(null);
  const footer = useRef<HTMLDivElement>(null);
  const [recheckCount, setRecheckCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a recheck has to run the effect.
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (!open) return dialog.close();
    dialog.showModal();
    footer.current?.querySelector('button')?.focus();
  }, [open, recheckCount]);
  return { element, footer, recheck: () => setRecheckCount((count) => count + 1) };
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
  const { element, footer: footerElement, recheck } = useModalElement(open);
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
        <h2 id={titleId}>{title}</h2>
        <div className={styles.body}>{children}</div>
        <div ref={footerElement} className={styles.footer}>
          {footer}
        </div>
      </div>
    </dialog>
  );
}
