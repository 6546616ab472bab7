import styles from '@/ui/Spinner.module.css';

/** A small turning ring; decoration only, so whatever holds it says in words that it is busy. */
export function Spinner() {
  return <span aria-hidden="true" className={styles.spinner} />;
}
