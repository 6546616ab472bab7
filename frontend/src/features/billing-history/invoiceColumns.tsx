import type { Invoice } from '@/lib/api/types';
import { formatCentsUsd, formatShortDate } from '@/lib/formats';
import { invoiceStatus } from '@/lib/invoices';
import { Button } from '@/ui/Button';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { PaidWith } from '@/ui/PaidWith';
import { StatusPill } from '@/ui/StatusPill';
import type { Column } from '@/ui/Table';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

interface Downloads {
  download: (number: string) => void;
  preparing: readonly string[];
}

/** The columns of the billing history; the invoice number is the button that downloads it. */
export function invoiceColumns({ download, preparing }: Downloads): Column<Invoice>[] {
  return [
    {
      key: 'number',
      header: 'INVOICE NUMBER',
      isRowHeader: true,
      cell: ({ number }) => (
        <NumberButton
          number={number}
          busy={preparing.includes(number)}
          onPress={() => download(number)}
        />
      ),
    },
    { key: 'status', header: 'STATUS', cell: (invoice) => <Status invoice={invoice} /> },
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

interface NumberButtonProps {
  number: string;
  busy: boolean;
  onPress: () => void;
}

function NumberButton({ number, busy, onPress }: NumberButtonProps) {
  return (
    <Button variant="link" busy={busy} icon={<DownloadIcon />} onClick={onPress}>
      <span>
        <VisuallyHidden>Download invoice </VisuallyHidden>
        {number}
      </span>
    </Button>
  );
}

function Status({ invoice }: { invoice: Invoice }) {
  const { words, isPaid } = invoiceStatus(invoice);
  return <StatusPill tone={isPaid ? 'success' : 'neutral'}>{words}</StatusPill>;
}
