import { render, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';

import { type Column, Table } from './Table';

interface Bill {
  number: string;
  total: string;
}

const COLUMNS: Column<Bill>[] = [
  { key: 'number', header: 'INVOICE NUMBER', cell: ({ number }) => number, isRowHeader: true },
  { key: 'total', header: 'TOTAL', cell: ({ total }) => total, align: 'end' },
];
const BILLS = [
  { number: '1001', total: '$6.99 USD' },
  { number: '1002', total: '$7.99 USD' },
];

const renderTable = () =>
  render(
    <Table caption="Invoices" columns={COLUMNS} rows={BILLS} rowKey={(bill) => bill.number} />,
  );

describe('the table', () => {
  it('names its columns and rows', () => {
    renderTable();
    const row = within(screen.getByRole('table', { name: 'Invoices' })).getByRole('row', {
      name: '1002 $7.99 USD',
    });
    expect(within(row).getByRole('rowheader')).toHaveTextContent('1002');
    expect(screen.getByRole('columnheader', { name: 'TOTAL' })).toBeVisible();
  });

  it('is a list of labeled values on a phone', () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
      Object.assign(new EventTarget() as MediaQueryList, { media, matches: true }),
    );
    renderTable();
    const [first] = within(screen.getByRole('list', { name: 'Invoices' })).getAllByRole('listitem');
    expect(first).toHaveTextContent('INVOICE NUMBER1001TOTAL$6.99 USD');
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });
});
