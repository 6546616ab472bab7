import type { ReactNode } from 'react';

import { classNames } from '@/ui/classNames';
import styles from '@/ui/Table.module.css';
import { useMediaQuery } from '@/ui/useMediaQuery';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

const PHONE = '(max-width: 44.99rem)';

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** The column that names the row. One per table. */
  isRowHeader?: boolean;
}

interface TableProps<Row> {
  /** Said to a screen reader; the heading above it says it to the eye. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/** A table; on a phone, where its columns would not fit, a list of labelled values per row. */
export function Table<Row>(props: TableProps<Row>) {
  const onPhone = useMediaQuery(PHONE);
  return onPhone ? <LabelledLists {...props} /> : <WideTable {...props} />;
}

function WideTable<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table className={styles.table}>
      <caption>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          {columns.map(({ key, header, align }) => (
            <th key={key} scope="col" className={classNames(align === 'end' && styles.end)}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const className = classNames(column.align === 'end' && styles.end);
  if (column.isRowHeader) {
    return (
      <th scope="row" className={className}>
        {column.cell(row)}
      </th>
    );
  }
  return <td className={className}>{column.cell(row)}</td>;
}

function LabelledLists<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <ul aria-label={caption} className={styles.list}>
      {rows.map((row) => (
        <li key={rowKey(row)} className={styles.item}>
          <dl className={styles.values}>
            {columns.map(({ key, header, cell }) => (
              <div key={key} className={styles.pair}>
                <dt>{header}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
