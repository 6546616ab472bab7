import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/PlanTable.module.css';
import { ServicePicture } from '@/ui/ServicePicture';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

export interface PlanLine {
  key: string;
  name: string;
  picture: string | null;
  /** Already formatted: `$6.99`. */
  amount: string;
  /** What the amount is for: `per month`. */
  per: string;
  notes: readonly string[];
  /** A box before it, checked or not; none where it is left out. */
  mark?: ReactNode;
  action?: ReactNode;
}

interface SumLine {
  key: string;
  label: string;
  amount: string;
  note?: string;
  kind: 'saving' | 'total';
}

interface PlanTableProps {
  /** Said to a screen reader; the heading above it says it to the eye. */
  caption: string;
  lines: readonly PlanLine[];
  sums: readonly SumLine[];
}

/** Plans with what each costs and what is to be known of it, then what they add up to. */
export function PlanTable({ caption, lines, sums }: PlanTableProps) {
  return (
    <table className={styles.table}>
      <caption>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <VisuallyHidden>Subscription</VisuallyHidden>
          </th>
          <th scope="col">
            <VisuallyHidden>Amount</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <PlanRow key={line.key} line={line} />
        ))}
      </tbody>
      <tfoot>
        {sums.map((sum) => (
          <SumRow key={sum.key} sum={sum} />
        ))}
      </tfoot>
    </table>
  );
}

function PlanRow({ line }: { line: PlanLine }) {
  const { name, picture, amount, per, notes, mark, action } = line;
  return (
    <tr>
      <th scope="row">
        <div className={styles.plan}>
          {mark}
          <ServicePicture src={picture} />
          <div className={styles.words}>
            <p className={styles.name}>{name}</p>
            {notes.map((note) => (
              <p key={note} className={styles.note}>
                {note}
              </p>
            ))}
            {action}
          </div>
        </div>
      </th>
      <td>
        <span className={styles.amount}>{amount}</span>
        <span className={styles.per}>{per}</span>
      </td>
    </tr>
  );
}

function SumRow({ sum }: { sum: SumLine }) {
  const { label, amount, note, kind } = sum;
  return (
    <tr className={classNames(styles.sum, styles[kind])}>
      <th scope="row">
        {label}
        {note && <span className={styles.per}> {note}</span>}
      </th>
      <td>
        <span className={styles.amount}>{amount}</span>
      </td>
    </tr>
  );
}
