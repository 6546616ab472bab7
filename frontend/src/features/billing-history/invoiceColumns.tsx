import { useEffect, useRef } from 'react';

import { partialPayments } from '@/domain/payments/invoiceAmounts';
import { invoiceStatus } from '@/domain/payments/invoiceStatus';
import { PaidWith } from '@/domain/payments/PaidWith';
import { invoicePdf } from '@/domain/payments/pdfFile';
import type { PdfDownloads } from '@/domain/payments/usePdfDownload';
import type { Invoice } from '@/lib/api/types';
import { formatDateRange, formatInvoiceTotal, formatShortDate } from '@/lib/formats';
import { Button } from '@/ui/Button';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { StatusPill } from '@/ui/StatusPill';
import type { Column } from '@/ui/Table';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './InvoiceTable.module.css';

/** The columns of the billing history. The invoice number is a download button. */
export function invoiceColumns(
  { download, isPreparing }: PdfDownloads,
  linked: string | null,
): Column<Invoice>[] {
  return [
    {
      key: 'number',
      header: 'INVOICE NUMBER',
      isRowHeader: true,
      cell: ({ number, items }) => (
        <>
          <InvoiceNumberButton
            number={number}
            busy={isPreparing(invoicePdf(number))}
            isLinked={number === linked}
            onPress={() => download(invoicePdf(number))}
          />
          <BilledItems items={items} />
        </>
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
    {
      key: 'total',
      header: 'TOTAL',
      align: 'end',
      cell: (invoice) => <InvoiceAmounts invoice={invoice} />,
    },
    { key: 'paid-with', header: 'PAID WITH', cell: (invoice) => <PaidWith {...invoice} /> },
  ];
}

interface InvoiceNumberButtonProps {
  number: string;
  busy: boolean;
  isLinked: boolean;
  onPress: () => void;
}

function InvoiceNumberButton({ number, busy, isLinked, onPress }: InvoiceNumberButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isLinked) button.current?.focus();
  }, [isLinked]);
  return (
    <Button ref={button} variant="link" busy={busy} icon={<DownloadIcon />} onClick={onPress}>
      <span>
        <VisuallyHidden>Download invoice </VisuallyHidden>
        {number}
      </span>
    </Button>
  );
}

/** For what, and for which time. */
function BilledItems({ items }: { items: Invoice['items'] }) {
  return items.map(({ name, startsAt, endsAt }) => (
    <span key={`${name} ${startsAt} ${endsAt}`} className={styles.detail}>
      <span className={styles.name}>{name}</span>{' '}
      {startsAt && endsAt && (
        <span className={styles.period}>{formatDateRange(startsAt, endsAt)}</span>
      )}
    </span>
  ));
}

function InvoiceAmounts({ invoice }: { invoice: Invoice }) {
  return (
    <>
      {formatInvoiceTotal(invoice.total, invoice.currencyCode)}
      {partialPayments(invoice).map((part) => (
        <span key={part} className={styles.detail}>
          {part}
        </span>
      ))}
    </>
  );
}

function InvoiceStatusPill({ invoice }: { invoice: Invoice }) {
  const { label, isPaid } = invoiceStatus(invoice);
  return <StatusPill tone={isPaid ? 'success' : 'neutral'}>{label}</StatusPill>;
}
