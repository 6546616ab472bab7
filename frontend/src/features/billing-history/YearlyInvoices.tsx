import { useSearchParams } from 'react-router-dom';

import type { Invoice } from '@/lib/api/types';
import { formatYear } from '@/lib/formats';
import { SelectField } from '@/ui/SelectField';
import { InvoiceTable } from './InvoiceTable';
import styles from './InvoiceTable.module.css';

const ALL_YEARS = '';

/**
 * The table of invoices, with a choice of the year if there are several. The year is in the URL; an
 * invoice that the URL names is shown among all years.
 */
export function YearlyInvoices({ invoices }: { invoices: readonly Invoice[] }) {
  const [query, setQuery] = useSearchParams();
  const linked = query.get('invoice');
  const years = [...new Set(invoices.map(yearOf))];
  const asked = linked === null ? query.get('year') : null;
  const year = years.find((candidate) => candidate === asked) ?? ALL_YEARS;
  return (
    <>
      {years.length > 1 && (
        <div className={styles.years}>
          <SelectField
            label="Year"
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
      <InvoiceTable
        key={year}
        invoices={year ? invoices.filter((invoice) => yearOf(invoice) === year) : invoices}
        linked={linked}
      />
    </>
  );
}

function yearOf({ transactionDate }: Invoice): string {
  return formatYear(transactionDate);
}
