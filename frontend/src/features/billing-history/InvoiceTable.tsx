import { useState } from 'react';

import type { Invoice } from '@/lib/api/types';
import { Button } from '@/ui/Button';
import { Table } from '@/ui/Table';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './InvoiceTable.module.css';
import { invoiceColumns } from './invoiceColumns';
import { useInvoiceDownload } from './useInvoiceDownload';

/** Rows rendered at a time, because hundreds at once are slow on a phone. */
const PAGE_SIZE = 24;

/** The table of invoices with a 'Show more' button. */
export function InvoiceTable({ invoices }: { invoices: readonly Invoice[] }) {
  const [rowCount, setShown] = useState(PAGE_SIZE);
  const { download, preparing, message } = useInvoiceDownload();
  const count = useFocusIfLost<HTMLParagraphElement>(rowCount);
  const rows = invoices.slice(0, rowCount);
  return (
    <div className={styles.history}>
      <Table
        caption="Billing History"
        columns={invoiceColumns({ download, preparing })}
        rows={rows}
        rowKey={({ number }) => number}
      />
      {invoices.length > PAGE_SIZE && (
        <p ref={count} tabIndex={-1} role="status" className={styles.count}>
          Showing {rows.length} of {invoices.length} invoices
        </p>
      )}
      {rows.length < invoices.length && (
        <Button variant="secondary" onClick={() => setShown(rowCount + PAGE_SIZE)}>
          Show more<VisuallyHidden> invoices</VisuallyHidden>
        </Button>
      )}
      <VisuallyHidden>
        <span role="status">{message}</span>
      </VisuallyHidden>
    </div>
  );
}
