import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UNREACHABLE_MESSAGE } from '@/lib/api/errors';
import type { Invoice } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { makeCreditNote, makeInvoice } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import BillingHistoryPage from './BillingHistoryPage';

const LIST = '*/api/invoice/list';
const PDF = '*/api/invoice/pdf/:number';
const FILE = '*/api/invoice/download/:token';
const READY = () => HttpResponse.json({ downloadUrl: '/api/invoice/download/signed' });
const NOT_READY = () =>
  errorResponse(503, 'invoice_not_ready', 'It is being made.', { retryAfter: 3 });

function renderHistory(invoices: Invoice[], query = '') {
  server.use(http.get(LIST, () => HttpResponse.json(invoices)));
  return renderScreen(<BillingHistoryPage />, { at: `/billingHistory${query}` });
}

const makeInvoices = (count: number) =>
  Array.from({ length: count }, (_, index) => makeInvoice({ number: `${2000 - index}` }));

describe('the billing history', () => {
  it('focuses the invoice that a mail links to, also one of a later page', async () => {
    renderHistory(makeInvoices(40), '?invoice=1970');
    expect(await screen.findByRole('button', { name: /1970/ })).toHaveFocus();
  });

  it('starts as usual if the linked invoice is not among them', async () => {
    renderHistory(makeInvoices(2), '?invoice=1');
    expect(await screen.findByRole('button', { name: /2000/ })).not.toHaveFocus();
  });

  // shows: history-1, history-2
  it('has the columns, and a hint how to get an invoice', async () => {
    renderHistory([makeInvoice()]);
    const headers = await screen.findAllByRole('columnheader');
    expect(headers.map(({ textContent }) => textContent)).toEqual([
      'INVOICE NUMBER',
      'STATUS',
      'TRANSACTION DATE',
      'TOTAL',
      'PAID WITH',
    ]);
    expect(
      screen.getByText('To view and print individual invoices, click on the "INVOICE NUMBER"'),
    ).toBeInTheDocument();
  });

  // shows: history-6, api-38
  it.each<[string, Partial<Invoice>, string]>([
    [
      'a card',
      {},
      '1001 Faith & Family Nov 10\u2009– Dec 10, 2026 PAID Nov 10, 2026 $6.99 USD Visa ending in 1111',
    ],
    [
      'PayPal',
      { paymentSourceType: 'PAYPAL_EXPRESS_CHECKOUT', paypalEmail: 'gia@example.com' },
      '1001 Faith & Family Nov 10\u2009– Dec 10, 2026 PAID Nov 10, 2026 $6.99 USD PayPal gia@example.com',
    ],
    [
      'an unknown card',
      { cardBrand: 'JCB_DEBIT', last4: '0505' },
      '1001 Faith & Family Nov 10\u2009– Dec 10, 2026 PAID Nov 10, 2026 $6.99 USD Card ending in 0505',
    ],
    [
      'nothing yet',
      { status: 'PAYMENT_DUE', charged: 0, paymentSourceType: null, cardBrand: null, last4: null },
      '1001 Faith & Family Nov 10\u2009– Dec 10, 2026 PAYMENT DUE Nov 10, 2026 $6.99 USD Nothing charged',
    ],
  ])('shows an invoice paid with %s', async (_case, overrides, expected) => {
    renderHistory([makeInvoice(overrides)]);
    expect(await screen.findByRole('row', { name: `Download invoice ${expected}` })).toBeVisible();
  });

  it('says what credit paid of an invoice and what was charged', async () => {
    renderHistory([makeInvoice({ total: 8999, credits: 612, charged: 8387 })]);
    const total = await screen.findByRole('cell', { name: /^\$89\.99 USD/ });
    expect(total).toHaveTextContent('$89.99 USD$6.12 paid from credit$83.87 charged');
  });

  // shows: history-9
  it('says which invoices were paid by one payment', async () => {
    renderHistory([makeInvoice({ paidTogether: ['1002', '1003'], paymentTotal: 2097 })]);
    const total = await screen.findByRole('cell', { name: /^\$6\.99 USD/ });
    expect(total).toHaveTextContent('$6.99 USD$20.97 charged together with 1002 and 1003');
  });

  // shows: history-10
  it('lists refunds and credits below their invoice', async () => {
    const nobody = { paymentSourceType: null, cardBrand: null, last4: null };
    const creditNotes = [
      makeCreditNote(),
      makeCreditNote({ number: 'CN-2', kind: 'CREDITED', amount: 512, left: 512, ...nobody }),
      makeCreditNote({ number: 'CN-3', kind: 'ADJUSTED', amount: 100, ...nobody }),
    ];
    renderHistory([makeInvoice({ creditNotes }), makeInvoice({ number: '900' })]);
    const rows = await screen.findAllByRole('row');
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('INVOICE NUMBER'),
      expect.stringContaining('Download invoice 1001'),
      'Download credit note CN-1Credit note for invoice 1001REFUNDEDNov 12, 2026-$2.00 USDReturned to VISAVisa ending in 1111•••• 1111',
      'Download credit note CN-2Credit note for invoice 1001CREDITEDNov 12, 2026-$5.12 USDPays your next bills',
      'Download credit note CN-3Credit note for invoice 1001TAKEN OFFNov 12, 2026-$1.00 USDLowered what was due',
      expect.stringContaining('Download invoice 900'),
    ]);
  });

  // shows: history-10
  it.each([
    [512, 'Pays your next bills'],
    [300, '$3.00 left for your next bills'],
    [0, 'Paid other bills'],
  ])('says what became of a credit of which %i cents are left', async (left, words) => {
    const credit = { kind: 'CREDITED' as const, amount: 512, left, paymentSourceType: null };
    renderHistory([makeInvoice({ creditNotes: [makeCreditNote(credit)] })]);
    expect(await screen.findByRole('cell', { name: words })).toBeVisible();
  });

  it('says what an invoice bills, also without a time', async () => {
    renderHistory([makeInvoice({ items: [{ name: 'Gift wrap', startsAt: null, endsAt: null }] })]);
    expect(await screen.findByRole('rowheader')).toHaveTextContent('1001Gift wrap');
  });

  it('shows the invoices of a chosen year, which is in the address', async () => {
    const years = ['2026-01-02', '2025-12-31', '2025-06-01'];
    const invoices = years.map((day) =>
      makeInvoice({ number: day, transactionDate: `${day}T15:00:00Z` }),
    );
    const { user } = renderHistory(invoices, '?year=2025');
    const year = await screen.findByRole('combobox', { name: 'Year' });
    const numbers = () =>
      screen
        .getAllByRole('button', { name: /Download invoice/ })
        .map(({ textContent }) => textContent);
    expect(year).toHaveValue('2025');
    expect(numbers()).toEqual(years.slice(1).map((day) => `Download invoice ${day}`));
    await user.selectOptions(year, 'All years');
    expect(numbers()).toHaveLength(3);
    await user.selectOptions(year, '2026');
    expect(numbers()).toEqual(['Download invoice 2026-01-02']);
  });

  it('shows a linked invoice among all years', async () => {
    const invoices = [
      makeInvoice(),
      makeInvoice({ number: '900', transactionDate: '2025-06-01T15:00:00Z' }),
    ];
    renderHistory(invoices, '?year=2026&invoice=900');
    expect(await screen.findByRole('button', { name: /900/ })).toHaveFocus();
  });

  it('offers the statement of a chosen year', async () => {
    const { user } = renderHistory([
      makeInvoice(),
      makeInvoice({ number: '900', transactionDate: '2025-06-01T15:00:00Z' }),
    ]);
    const year = await screen.findByRole('combobox', { name: 'Year' });
    expect(year).toHaveAccessibleDescription('Choose a year to get its statement.');
    expect(screen.queryByRole('button', { name: /statement/ })).toBeNull();
    await user.selectOptions(year, '2025');
    expect(screen.getByRole('button', { name: 'Download 2025 statement' })).toBeVisible();
    expect(year).not.toHaveAccessibleDescription();
  });

  it('offers the statement of a year in which there was only a refund', async () => {
    const creditNotes = [makeCreditNote({ refundedAt: '2026-01-05T15:00:00Z' })];
    const paid = { transactionDate: '2025-12-20T15:00:00Z', creditNotes };
    renderHistory([makeInvoice({ number: '900', ...paid })], '?year=2026');
    expect(await screen.findByRole('combobox', { name: 'Year' })).toHaveValue('2026');
    expect(screen.getByRole('button', { name: 'Download 2026 statement' })).toBeVisible();
    expect(screen.getByText('REFUNDED')).toBeVisible();
  });

  it('offers no choice of the year if all are of one, and its statement', async () => {
    renderHistory([makeInvoice()]);
    expect(await screen.findByRole('button', { name: 'Download 2026 statement' })).toBeVisible();
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  // shows: history-5
  it('shows paid invoices in green and others in gray', async () => {
    renderHistory([makeInvoice(), makeInvoice({ number: '1002', status: 'VOIDED' })]);
    expect((await screen.findByText('PAID')).parentElement).toHaveClass('success');
    expect(screen.getByText('VOIDED').parentElement).toHaveClass('neutral');
  });

  // shows: history-3
  it('says when it is empty, without the hint', async () => {
    renderHistory([]);
    expect(
      await screen.findByText(
        "Your billing history is currently empty. You haven't made any purchases yet. Start exploring our streaming plans!",
      ),
    ).toBeInTheDocument();
    expect(screen.queryByText(/To view and print/)).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'See plans and prices' })).toHaveAttribute(
      'href',
      '/manage-subscription',
    );
  });

  it('shows a failure and retries', async () => {
    server.use(http.get(LIST, () => HttpResponse.json([makeInvoice()])));
    server.use(
      http.get(LIST, () => errorResponse(500, 'internal_error', 'Broken.'), { once: true }),
    );
    const { user } = renderScreen(<BillingHistoryPage />, { at: '/billingHistory' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Billing History' })).toBeInTheDocument();
  });

  it('shows many invoices a page at a time', async () => {
    const { user } = renderHistory(makeInvoices(50));
    const table = await screen.findByRole('table');
    const countRows = () => within(table).getAllByRole('row').length - 1;
    expect(countRows()).toBe(24);
    await user.click(screen.getByRole('button', { name: /Show more/ }));
    expect(countRows()).toBe(48);
    await user.click(screen.getByRole('button', { name: /Show more/ }));
    expect(countRows()).toBe(50);
    expect(screen.queryByRole('button', { name: /Show more/ })).not.toBeInTheDocument();
    expect(screen.getByText('Showing 50 of 50 invoices')).toHaveFocus();
  });
});

describe('downloading an invoice', () => {
  let saved: { content: string; download: string }[] = [];
  let fetched: string[] = [];

  beforeEach(() => {
    saved = [];
    fetched = [];
    server.use(
      http.get(FILE, ({ params }) => {
        fetched.push(String(params.token));
        return HttpResponse.text('%PDF-1.7');
      }),
    );
    let blobSize = '';
    Object.assign(URL, {
      createObjectURL: (file: Blob) => {
        blobSize = `${file.size} bytes`;
        return 'blob:invoice';
      },
      revokeObjectURL: () => undefined,
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    // jsdom cannot follow a link, so the test records it.
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      saved.push({ content: blobSize, download: this.download });
    });
  });

  const findInvoiceButton = () => screen.findByRole('button', { name: 'Download invoice 1001' });

  // shows: history-4, api-39
  it('saves the file under its name', async () => {
    server.use(http.get(PDF, READY));
    const { user } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    await waitFor(() => expect(saved).toEqual([{ content: '8 bytes', download: 'invoice.pdf' }]));
    expect(fetched).toEqual(['signed']);
    expect(screen.getByText('Invoice 1001 is downloading.')).toBeInTheDocument();
  });

  it('saves one file after a double click with a quick answer', async () => {
    server.use(http.get(PDF, READY));
    const { user } = renderHistory([makeInvoice()]);
    const button = await findInvoiceButton();
    await user.click(button);
    await screen.findByText('Invoice 1001 is downloading.');
    await user.click(button);
    expect(button).not.toHaveAttribute('aria-busy');
    await vi.advanceTimersByTimeAsync(500);
    expect(saved).toHaveLength(1);
    await user.click(button);
    await waitFor(() => expect(saved).toHaveLength(2));
  });

  // shows: history-10
  it('saves a credit note under its name', async () => {
    const requests: unknown[] = [];
    server.use(
      http.get('*/api/invoice/credit-note/:number', ({ params }) => {
        requests.push(params.number);
        return READY();
      }),
    );
    const { user } = renderHistory([makeInvoice({ creditNotes: [makeCreditNote()] })]);
    await user.click(await screen.findByRole('button', { name: 'Download credit note CN-1' }));
    await waitFor(() =>
      expect(saved).toEqual([{ content: '8 bytes', download: 'credit-note.pdf' }]),
    );
    expect(requests).toEqual(['CN-1']);
    expect(screen.getByText('Credit note CN-1 is downloading.')).toBeInTheDocument();
  });

  // shows: history-8
  it('saves the statement of a year under its name', async () => {
    const requests: unknown[] = [];
    const statement = vi
      .fn<Parameters<typeof http.get>[1]>()
      .mockImplementationOnce(NOT_READY)
      .mockImplementation(({ params }) => {
        requests.push(params.year);
        return READY();
      });
    server.use(http.get('*/api/invoice/statement/:year', statement));
    const { user } = renderHistory([makeInvoice()]);
    const button = await screen.findByRole('button', { name: 'Download 2026 statement' });
    await user.click(button);
    expect(screen.getByText('Preparing your statement…')).toBeInTheDocument();
    expect(button).toHaveAttribute('aria-busy', 'true');
    await vi.advanceTimersByTimeAsync(3_500);
    await waitFor(() =>
      expect(saved).toEqual([{ content: '8 bytes', download: 'statement-2026.pdf' }]),
    );
    expect(requests).toEqual(['2026']);
    expect(screen.getByText('Your 2026 statement is downloading.')).toBeInTheDocument();
  });

  // shows: error-34
  it('waits as long as the server requests while the PDF is rendered', async () => {
    const requests = vi.fn().mockImplementationOnce(NOT_READY).mockImplementation(READY);
    server.use(http.get(PDF, requests));
    const { user } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    expect(screen.getByText('Preparing your invoice…')).toBeInTheDocument();
    expect(await findInvoiceButton()).toHaveAttribute('aria-busy', 'true');
    await waitFor(() => expect(requests).toHaveBeenCalledTimes(1));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(requests).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(await findInvoiceButton()).not.toHaveAttribute('aria-busy');
  });

  it('sends one request however often it is clicked', async () => {
    const requests = vi.fn(READY);
    server.use(http.get(PDF, requests));
    const { user } = renderHistory([makeInvoice()]);
    await user.dblClick(await findInvoiceButton());
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(requests).toHaveBeenCalledTimes(1);
  });

  it('encodes a number with a slash', async () => {
    const requests: unknown[] = [];
    server.use(
      http.get(PDF, ({ params }) => {
        requests.push(params.number);
        return READY();
      }),
    );
    const { user } = renderHistory([makeInvoice({ number: 'INV/7' })]);
    await user.click(await screen.findByRole('button', { name: 'Download invoice INV/7' }));
    await waitFor(() => expect(requests).toEqual(['INV/7']));
  });

  // shows: history-7
  it('shows a failure and can be retried', async () => {
    server.use(http.get(PDF, () => errorResponse(404, 'not_found', 'There is no such invoice.')));
    const { user } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({
        severity: 'error',
        content: 'There is no such invoice.',
      }),
    );
    expect(await findInvoiceButton()).not.toHaveAttribute('aria-busy');
    expect(saved).toEqual([]);
  });

  it('requests another link if the first has expired', async () => {
    const links = ['expired', 'fresh'];
    server.use(
      http.get(PDF, () =>
        HttpResponse.json({ downloadUrl: `/api/invoice/download/${links.shift()}` }),
      ),
      http.get('*/api/invoice/download/expired', () =>
        errorResponse(404, 'not_found', 'There is no such file.'),
      ),
    );
    const { user } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(fetched).toEqual(['fresh']);
  });

  it.each<[string, () => Response, string]>([
    ['is refused', () => errorResponse(500, 'internal_error', 'Broken.'), 'Broken.'],
    ['is not found again', () => errorResponse(404, 'not_found', 'No such file.'), 'No such file.'],
    ['does not come', () => HttpResponse.error(), UNREACHABLE_MESSAGE],
  ])('shows an error if the file %s', async (_case, answer, message) => {
    server.use(http.get(PDF, READY), http.get(FILE, answer));
    const { user } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ severity: 'error', content: message }),
    );
    expect(await findInvoiceButton()).not.toHaveAttribute('aria-busy');
    expect(saved).toEqual([]);
  });

  it('stops when the screen is left', async () => {
    const requests = vi.fn(NOT_READY);
    server.use(http.get(PDF, requests));
    const { user, unmount } = renderHistory([makeInvoice()]);
    await user.click(await findInvoiceButton());
    await waitFor(() => expect(requests).toHaveBeenCalledTimes(1));
    unmount();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(requests).toHaveBeenCalledTimes(1);
    expect(useSnackbar.getState().visible).toBe(false);
  });
});
