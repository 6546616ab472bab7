import { useSearchParams } from 'react-router-dom';

import { statementPdf } from '@/domain/payments/pdfFile';
import { usePdfDownload } from '@/domain/payments/usePdfDownload';
import type { Invoice } from '@/lib/api/types';
import { formatYear } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { SelectField } from '@/ui/forms/SelectField';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { InvoiceTable } from './InvoiceTable';
import styles from './InvoiceTable.module.css';

const ALL_YEARS = '';

/**
 * The table of invoices, with a choice of the year if there are several, and the statement of the
 * year that is shown. The year is in the URL; an invoice that the URL names is shown among all years.
 */
export function YearlyInvoices({ invoices }: { invoices: readonly Invoice[] }) {
  const [query, setQuery] = useSearchParams();
  const downloads = usePdfDownload();
  const linked = query.get('invoice');
  const years = [...new Set(invoices.flatMap(yearsOf))].sort().reverse();
  const asked = linked === null ? query.get('year') : null;
  const year = years.find((candidate) => candidate === asked) ?? ALL_YEARS;
  const [stated] = year || years.length > 1 ? [year] : years;
  const statement = stated ? statementPdf(stated) : null;
  return (
    <>
      <div className={styles.years}>
        {years.length > 1 && (
          <div className={styles.year}>
            <SelectField
              label="Year"
              hint={!statement && 'Choose a year to get its statement.'}
              value={year}
              onChange={({ target }) =>
                setQuery(target.value ? { year: target.value } : {}, { replace: true })
              }
            >
              <option value={ALL_YEARS}>All years</option>
              {years.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </SelectField>
          </div>
        )}
        {statement && (
          <Button
            variant="secondary"
            icon={<DownloadIcon />}
            busy={downloads.isPreparing(statement)}
            onClick={() => downloads.download(statement)}
          >
            Download {stated} statement
          </Button>
        )}
      </div>
      <InvoiceTable
        key={year}
        invoices={year ? invoices.filter((invoice) => yearsOf(invoice).includes(year)) : invoices}
        downloads={downloads}
        linked={linked}
      />
      <VisuallyHidden>
        <span role="status">{downloads.message}</span>
      </VisuallyHidden>
    </>
  );
}

/** The years that state an invoice: when it was paid, or else issued, and when it was refunded. */
function yearsOf({ transactionDate, creditNotes }: Invoice): string[] {
  const refunds = creditNotes.flatMap(({ refundedAt }) => refundedAt ?? []);
  return [transactionDate, ...refunds].map(formatYear);
}
