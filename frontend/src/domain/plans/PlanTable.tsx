import type { ReactNode } from 'react';
import { ServicePicture } from '@/domain/services/ServicePicture';
import { classNames } from '@/ui/classNames';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './PlanTable.module.css';

export interface PlanLine {
  key: string;
  name: string;
  picture: string | null;
  /** Already formatted: `$6.99`. */
  amount: string;
  /** What the amount is for: `per month`. */
  per: string;
  notes: readonly string[];
  /** The checkbox before the plan, if any. */
  mark?: ReactNode;
  /** The id of that checkbox, if clicking the name should toggle it. */
  markId?: string;
  action?: ReactNode;
}

interface SumLine {
  key: string;
  label: string;
  /** Omitted if the label says everything. */
  amount?: string;
  note?: string;
  kind: 'saving' | 'total' | 'bill';
}

/** The id of a plan's notes, which describe its checkbox. */
export function notesId(key: string): string {
  return `${key}-notes`;
}

interface PlanTableProps {
  /** For screen readers only; a visible heading says the same. */
  caption: string;
  lines: readonly PlanLine[];
  sums: readonly SumLine[];
}

/** A table of plans with prices and notes, followed by discounts and totals. */
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
      {lines.map((line) => (
        <PlanRows key={line.key} line={line} />
      ))}
      {sums.length > 0 && (
        <tfoot>
          {sums.map((sum) => (
            <SumRow key={sum.key} sum={sum} />
          ))}
        </tfoot>
      )}
    </table>
  );
}

/**
 * A plan's notes have a row of their own, so that a phone does not squeeze them beside the amount.
 */
function PlanRows({ line }: { line: PlanLine }) {
  const { key, amount, per, notes, action, mark } = line;
  const isNoted = notes.length > 0 || Boolean(action);
  const cell = classNames(styles.planCell, isNoted && styles.withNotes);
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" className={cell}>
          <PlanName line={line} />
        </th>
        <td className={cell}>
          <span className={styles.amount}>{amount}</span>
          <span className={styles.per}>{per}</span>
        </td>
      </tr>
      {isNoted && (
        <tr>
          <td
            colSpan={2}
            className={classNames(styles.notes, mark !== undefined && styles.marked)}
            id={notesId(key)}
          >
            {notes.map((note) => (
              <p key={note}>
                <UnbrokenDates>{note}</UnbrokenDates>
              </p>
            ))}
            {action}
          </td>
        </tr>
      )}
    </tbody>
  );
}

function PlanName({ line: { mark, markId, picture, name } }: { line: PlanLine }) {
  const content = (
    <>
      <ServicePicture src={picture} size={48} />
      <span className={styles.name}>{name}</span>
    </>
  );
  return (
    <div className={styles.plan}>
      {mark}
      {markId ? (
        <label htmlFor={markId} className={styles.label}>
          {content}
        </label>
      ) : (
        content
      )}
    </div>
  );
}

function SumRow({ sum }: { sum: SumLine }) {
  const { label, amount, note, kind } = sum;
  return (
    <tr className={classNames(styles.sum, styles[kind])}>
      <th scope="row" colSpan={amount === undefined ? 2 : 1} className={styles.sumCell}>
        <UnbrokenDates>{label}</UnbrokenDates>
        {note && <span className={styles.per}> {note}</span>}
      </th>
      {amount !== undefined && (
        <td className={styles.sumCell}>
          <span className={styles.amount}>{amount}</span>
        </td>
      )}
    </tr>
  );
}
