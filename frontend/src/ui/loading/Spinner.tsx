import styles from './Spinner.module.css';

/** A spinning ring. Decorative: its parent has to announce that it is busy. */
export function Spinner() {
  return <span aria-hidden="true" className={styles.spinner} />;
}
