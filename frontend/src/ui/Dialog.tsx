import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

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

/**
 * Shows and closes the native dialog as `open` says: it traps the focus and gives it back. To `look` is to do so anew
 * after the browser has closed it by itself, as it does when asked a second time with nothing pressed in between.
 */
function useModalElement(open: boolean) {
  const element = useRef<HTMLDialogElement>(null);
  const footer = useRef<HTMLDivElement>(null);
  const [looks, setLooks] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each look counts.
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (!open) return dialog.close();
    dialog.showModal();
    footer.current?.querySelector('button')?.focus();
  }, [open, looks]);
  return { element, footer, look: () => setLooks((before) => before + 1) };
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
  const { element, footer: footerElement, look } = useModalElement(open);
  const titleId = useId();
  const pressBeside = (event: MouseEvent) => {
    if (!staticBackdrop && event.target === element.current) onClose();
  };
  const pressEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // Left to the browser, a second one would close it whatever is under way.
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      className={styles.dialog}
      onClick={pressBeside}
      onKeyDown={pressEscape}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // The event comes a moment later, when it may be open again.
        if (!open || element.current?.open) return;
        onClose();
        look();
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
