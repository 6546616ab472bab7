/**
 * Moves the focus to the heading of the screen, and scrolls it into view; to that of the dialog that an
 * element is in, because the screen behind an open dialog can't have the focus.
 */
export function focusHeading(from?: Element | null): void {
  const dialog = from?.closest('dialog');
  (dialog?.querySelector('h2') ?? document.querySelector('h1'))?.focus();
}
