import { useQuery } from '@tanstack/react-query';

import { invoicesOptions } from '@/lib/api/queries';
import type { Invoice } from '@/lib/api/types';
import { formatCentsUsd, formatShortDate } from '@/lib/formats';
import { invoiceStatus } from '@/lib/invoices';
import { paths } from '@/lib/paths';
import { loadFailure } from '@/lib/screenLoad';
import { Card } from '@/ui/Card';
import { PaidWith } from '@/ui/PaidWith';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { ErrorState } from '@/ui/States';
import { StatusPill } from '@/ui/StatusPill';
import { TextLink } from '@/ui/TextLink';
import rows from './LatestInvoices.module.css';
import styles from './Panel.module.css';

const LATEST = 3;

/** The newest invoices, what was last paid with, and the way to all of them. */
export function LatestInvoices() {
  const invoices = useQuery(invoicesOptions);
  const failure = loadFailure(invoices);
  return (
    <Card as="section" labelledBy="latest-invoices" className={styles.panel}>
      <h2 id="latest-invoices">Latest invoices</h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !invoices.data && <SkeletonRows rows={LATEST + 2} />}
      {invoices.data && <Latest invoices={invoices.data} />}
    </Card>
  );
}

function Latest({ invoices }: { invoices: readonly Invoice[] }) {
  if (invoices.length === 0) {
    return <p className={styles.muted}>You have no invoices yet. They will be listed here.</p>;
  }
  return (
    <>
      <ul className={rows.invoices}>
        {invoices.slice(0, LATEST).map((invoice) => (
          <InvoiceRow key={invoice.number} invoice={invoice} />
        ))}
      </ul>
      <LastPaidWith invoices={invoices} />
      <TextLink to={paths.billingHistory}>See your billing history</TextLink>
    </>
  );
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const { words, isPaid } = invoiceStatus(invoice);
  return (
    <li className={rows.invoice}>
      <time dateTime={invoice.transactionDate}>{formatShortDate(invoice.transactionDate)}</time>
      <span className={rows.amount}>{formatCentsUsd(invoice.total)}</span>
      <span className={rows.state}>
        <StatusPill tone={isPaid ? 'success' : 'neutral'}>{words}</StatusPill>
      </span>
    </li>
  );
}

/** By the newest invoice that was paid with something. */
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
