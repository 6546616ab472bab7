import styles from '@/ui/LoaderOverlay.module.css';

/** Covers the window while something whole is awaited. Labelled 'Loading'; may say for what. */
export function LoaderOverlay({ message }: { message?: string | null }) {
  return (
    <div role="status" aria-label="Loading" className={styles.overlay}>
      <span aria-hidden="true" className={styles.ring} />
      <p className={styles.label}>{message ?? 'Loading'}</p>
    </div>
  );
}
