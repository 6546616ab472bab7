import { useQuery } from '@tanstack/react-query';
import { invoiceStatus } from '@/domain/payments/invoiceStatus';
import { PaidWith } from '@/domain/payments/PaidWith';
import { invoicePdf } from '@/domain/payments/pdfFile';
import { usePdfDownload } from '@/domain/payments/usePdfDownload';
import { invoicesOptions } from '@/lib/api/queries';
import type { Invoice } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatInvoiceTotal, formatList, formatShortDate } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/buttons/Button';
import { StatusPill } from '@/ui/display/StatusPill';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { Card } from '@/ui/layout/Card';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { TextLink } from '@/ui/navigation/TextLink';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import rows from './InvoicesPanel.module.css';
import styles from './Panel.module.css';

const LATEST = 3;

/** The newest invoices, the last payment method used, and a link to the billing history. */
export function InvoicesPanel() {
  const invoices = useQuery(invoicesOptions);
  const failure = findLoadFailure(invoices);
  return (
    <Card as="section" labelledBy="latest-invoices" className={styles.panel}>
      <h2 id="latest-invoices">Latest invoices</h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !invoices.data && <SkeletonRows rows={LATEST + 2} />}
      {invoices.data && <LatestInvoices invoices={invoices.data} />}
    </Card>
  );
}

function LatestInvoices({ invoices }: { invoices: readonly Invoice[] }) {
  const { download, isPreparing, message } = usePdfDownload();
  if (invoices.length === 0) {
    return <p className={styles.muted}>No invoices yet. They’ll show up here.</p>;
  }
  return (
    <>
      <ul className={rows.invoices}>
        {invoices.slice(0, LATEST).map((invoice) => (
          <InvoiceRow
            key={invoice.number}
            invoice={invoice}
            busy={isPreparing(invoicePdf(invoice.number))}
            onPress={() => download(invoicePdf(invoice.number))}
          />
        ))}
      </ul>
      <LastPaidWith invoices={invoices} />
      <TextLink to={paths.billingHistory}>See your billing history</TextLink>
      <VisuallyHidden>
        <span role="status">{message}</span>
      </VisuallyHidden>
    </>
  );
}

interface InvoiceRowProps {
  invoice: Invoice;
  busy: boolean;
  onPress: () => void;
}

/** An invoice: its date, which is a download button, and for what it is. */
function InvoiceRow({ invoice, busy, onPress }: InvoiceRowProps) {
  const { label, isPaid } = invoiceStatus(invoice);
  const names = [...new Set(invoice.items.map(({ name }) => name))];
  return (
    <li className={rows.invoice}>
      <div className={rows.what}>
        <Button variant="link" busy={busy} icon={<DownloadIcon />} onClick={onPress}>
          <span>
            <VisuallyHidden>Download invoice {invoice.number} of </VisuallyHidden>
            <time dateTime={invoice.transactionDate}>
              {formatShortDate(invoice.transactionDate)}
            </time>
          </span>
        </Button>
        {names.length > 0 && <span className={rows.names}>{formatList(names)}</span>}
      </div>
      <span className={rows.amount}>{formatInvoiceTotal(invoice.total, invoice.currencyCode)}</span>
      <span className={rows.state}>
        <StatusPill tone={isPaid ? 'success' : 'neutral'}>{label}</StatusPill>
      </span>
    </li>
  );
}

/** Taken from the newest invoice with a payment. */
function LastPaidWith({ invoices }: { invoices: readonly Invoice[] }) {
  const paid = invoices.find(({ paymentSourceType }) => paymentSourceType !== null);
  if (!paid) return null;
  return (
    <p className={styles.paid}>
      <span className={styles.muted}>Last paid with</span>
      <PaidWith {...paid} />
    </p>
  );
}
