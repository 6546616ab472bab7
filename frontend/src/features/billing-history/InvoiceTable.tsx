import { useState } from 'react';

import type { Invoice } from '@/lib/api/types';
import { Button } from '@/ui/Button';
import { Table } from '@/ui/Table';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './InvoiceTable.module.css';
import { invoiceColumns } from './invoiceColumns';
import { useInvoiceDownload } from './useInvoiceDownload';

/** As many rows as are drawn at a time: hundreds would take the phone's breath. */
const CHUNK = 24;

/** The invoices, a chunk at a time. */
export function InvoiceTable({ invoices }: { invoices: readonly Invoice[] }) {
  const [shown, setShown] = useState(CHUNK);
  const { download, preparing, message } = useInvoiceDownload();
  const count = useFocusIfLost<HTMLParagraphElement>(shown);
  const rows = invoices.slice(0, shown);
  return (
    <div className={styles.history}>
      <Table
        caption="Billing History"
        columns={invoiceColumns({ download, preparing })}
        rows={rows}
        rowKey={({ number }) => number}
      />
      {invoices.length > CHUNK && (
        <p ref={count} tabIndex={-1} role="status" className={styles.count}>
          Showing {rows.length} of {invoices.length} invoices
        </p>
      )}
      {rows.length < invoices.length && (
        <Button variant="secondary" onClick={() => setShown(shown + CHUNK)}>
          Show more<VisuallyHidden> invoices</VisuallyHidden>
        </Button>
      )}
      <VisuallyHidden>
        <span role="status">{message}</span>
      </VisuallyHidden>
    </div>
  );
}
