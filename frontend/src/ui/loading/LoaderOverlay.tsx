import styles from './LoaderOverlay.module.css';

/** Covers the window during a load. Labeled 'Loading', with an optional message. */
export function LoaderOverlay({ message }: { message?: string | null }) {
  return (
    <div role="status" aria-label="Loading" className={styles.overlay}>
      <span aria-hidden="true" className={styles.ring} />
      <p className={styles.label}>{message ?? 'Loading'}</p>
    </div>
  );
}
