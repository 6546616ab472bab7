import { useState } from 'react';

import type { PdfDownloads } from '@/domain/payments/usePdfDownload';
import type { Invoice } from '@/lib/api/types';
import { Button } from '@/ui/buttons/Button';
import { Table } from '@/ui/display/Table';
import { useFocusIfLost } from '@/ui/lostFocus';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { historyRows } from './historyRows';
import styles from './InvoiceTable.module.css';
import { invoiceColumns } from './invoiceColumns';

/** Rows rendered at a time, because hundreds at once are slow on a phone. */
const PAGE_SIZE = 24;

interface InvoiceTableProps {
  invoices: readonly Invoice[];
  downloads: PdfDownloads;
  /** The number of an invoice that gets the focus. */
  linked: string | null;
}

/** The table of invoices, with refunds and credits below theirs, and a 'Show more' button. */
export function InvoiceTable({ invoices, downloads, linked }: InvoiceTableProps) {
  const linkedAt = invoices.findIndex(({ number }) => number === linked);
  const [rowCount, setShown] = useState(Math.max(PAGE_SIZE, linkedAt + 1));
  const count = useFocusIfLost<HTMLParagraphElement>(rowCount);
  const rows = invoices.slice(0, rowCount);
  return (
    <div className={styles.history}>
      <Table
        caption="Billing History"
        columns={invoiceColumns(downloads, linked)}
        rows={historyRows(rows)}
        rowKey={({ key }) => key}
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
    </div>
  );
}
