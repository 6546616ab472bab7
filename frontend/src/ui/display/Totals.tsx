import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from './Totals.module.css';

/** A list of `MoneyRow`s. */
export function Totals({ children }: { children: ReactNode }) {
  return <dl className={styles.totals}>{children}</dl>;
}

interface MoneyRowProps {
  label: ReactNode;
  /** Already formatted: `$6.99`. Several amounts are listed if they cannot be added up. */
  amount: string | readonly string[];
  note?: ReactNode;
  /** A plain line, a discount or a total. */
  kind?: 'line' | 'saving' | 'total';
}

/** A row of `Totals`. */
export function MoneyRow({ label, amount, note, kind = 'line' }: MoneyRowProps) {
  const amounts = typeof amount === 'string' ? [amount] : amount;
  return (
    <div className={classNames(styles.row, styles[kind])}>
      <dt className={styles.term}>
        <span>{label}</span>
        {note && <span className={styles.note}> {note}</span>}
      </dt>
      <dd className={styles.amount}>
        {amounts.map((text) => (
          <span key={text} className={styles.figure}>
            {text}
          </span>
        ))}
      </dd>
    </div>
  );
}
