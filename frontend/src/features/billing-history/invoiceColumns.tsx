import { invoiceStatus } from '@/domain/payments/invoiceStatus';
import { PaidWith } from '@/domain/payments/PaidWith';
import type { Invoice } from '@/lib/api/types';
import { formatCentsUsd, formatShortDate } from '@/lib/formats';
import { Button } from '@/ui/Button';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { StatusPill } from '@/ui/StatusPill';
import type { Column } from '@/ui/Table';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

interface Downloads {
  download: (number: string) => void;
  preparing: readonly string[];
}

/** The columns of the billing history. The invoice number is a download button. */
export function invoiceColumns({ download, preparing }: Downloads): Column<Invoice>[] {
  return [
    {
      key: 'number',
      header: 'INVOICE NUMBER',
      isRowHeader: true,
      cell: ({ number }) => (
        <InvoiceNumberButton
          number={number}
          busy={preparing.includes(number)}
          onPress={() => download(number)}
        />
      ),
    },
    { key: 'status', header: 'STATUS', cell: (invoice) => <InvoiceStatusPill invoice={invoice} /> },
    {
      key: 'date',
      header: 'TRANSACTION DATE',
      cell: ({ transactionDate }) => (
        <time dateTime={transactionDate}>{formatShortDate(transactionDate)}</time>
      ),
    },
    { key: 'total', header: 'TOTAL', align: 'end', cell: ({ total }) => formatCentsUsd(total) },
    { key: 'paid-with', header: 'PAID WITH', cell: (invoice) => <PaidWith {...invoice} /> },
  ];
}

interface InvoiceNumberButtonProps {
  number: string;
  busy: boolean;
  onPress: () => void;
}

function InvoiceNumberButton({ number, busy, onPress }: InvoiceNumberButtonProps) {
  return (
    <Button variant="link" busy={busy} icon={<DownloadIcon />} onClick={onPress}>
      <span>
        <VisuallyHidden>Download invoice </VisuallyHidden>
        {number}
      </span>
    </Button>
  );
}

function InvoiceStatusPill({ invoice }: { invoice: Invoice }) {
  const { label, isPaid } = invoiceStatus(invoice);
  return <StatusPill tone={isPaid ? 'success' : 'neutral'}>{label}</StatusPill>;
}
