import { useEffect, useRef } from 'react';

import { partialPayments } from '@/domain/payments/invoiceAmounts';
import { invoiceStatus } from '@/domain/payments/invoiceStatus';
import { PaidWith } from '@/domain/payments/PaidWith';
import { creditNotePdf, invoicePdf } from '@/domain/payments/pdfFile';
import type { PdfDownloads } from '@/domain/payments/usePdfDownload';
import type { CreditNote, Invoice } from '@/lib/api/types';
import { formatDateRange, formatInvoiceTotal, formatShortDate } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { StatusPill } from '@/ui/display/StatusPill';
import type { Column } from '@/ui/display/Table';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { type HistoryRow, NOTE_LABELS, noteOutcome } from './historyRows';
import styles from './InvoiceTable.module.css';

/** The columns of the billing history. The number of an invoice or a credit note is a download button. */
export function invoiceColumns(
  { download, isPreparing }: PdfDownloads,
  linked: string | null,
): Column<HistoryRow>[] {
  return [
    {
      key: 'number',
      header: 'INVOICE NUMBER',
      isRowHeader: true,
      cell: ({ invoice: { number, items }, note }) =>
        note ? (
          <div className={styles.note}>
            <DownloadButton
              what="Download credit note"
              number={note.number}
              busy={isPreparing(creditNotePdf(note.number))}
              onPress={() => download(creditNotePdf(note.number))}
            />
            <span className={styles.detail}>Credit note for invoice {number}</span>
          </div>
        ) : (
          <>
            <DownloadButton
              what="Download invoice"
              number={number}
              busy={isPreparing(invoicePdf(number))}
              isLinked={number === linked}
              onPress={() => download(invoicePdf(number))}
            />
            <BilledItems items={items} />
          </>
        ),
    },
    {
      key: 'status',
      header: 'STATUS',
      cell: ({ invoice, note }) =>
        note ? (
          <StatusPill tone="neutral">{NOTE_LABELS[note.kind]}</StatusPill>
        ) : (
          <InvoiceStatusPill invoice={invoice} />
        ),
    },
    {
      key: 'date',
      header: 'TRANSACTION DATE',
      cell: ({ invoice, note }) => {
        const date = note?.issuedAt ?? invoice.transactionDate;
        return <time dateTime={date}>{formatShortDate(date)}</time>;
      },
    },
    {
      key: 'total',
      header: 'TOTAL',
      align: 'end',
      cell: ({ invoice, note }) =>
        note ? (
          formatInvoiceTotal(-note.amount, note.currencyCode)
        ) : (
          <InvoiceAmounts invoice={invoice} />
        ),
    },
    {
      key: 'paid-with',
      header: 'PAID WITH',
      cell: ({ invoice, note }) => (note ? <NoteOutcome note={note} /> : <PaidWith {...invoice} />),
    },
  ];
}

interface DownloadButtonProps {
  /** What it does, for screen readers. */
  what: string;
  number: string;
  busy: boolean;
  isLinked?: boolean;
  onPress: () => void;
}

function DownloadButton({ what, number, busy, isLinked = false, onPress }: DownloadButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isLinked) button.current?.focus();
  }, [isLinked]);
  return (
    <Button ref={button} variant="link" busy={busy} icon={<DownloadIcon />} onClick={onPress}>
      <span className={styles.number}>
        <VisuallyHidden>{what} </VisuallyHidden>
        {number}
      </span>
    </Button>
  );
}

/** Where the money of a credit note went. */
function NoteOutcome({ note }: { note: CreditNote }) {
  if (note.paymentSourceType === null) return noteOutcome(note);
  return (
    <>
      <span className={styles.detail}>Returned to </span>
      <PaidWith {...note} />
    </>
  );
}

/** For what, and for which time. */
function BilledItems({ items }: { items: Invoice['items'] }) {
  return items.map(({ name, startsAt, endsAt }) => (
    <span key={`${name} ${startsAt} ${endsAt}`} className={styles.detail}>
      <span className={styles.name}>{name}</span>{' '}
      {startsAt && endsAt && (
        <span className={styles.period}>
          <UnbrokenDates>{formatDateRange(startsAt, endsAt)}</UnbrokenDates>
        </span>
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
