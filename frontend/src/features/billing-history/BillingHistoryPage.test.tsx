import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Invoice } from '@/lib/api/types';
import { UNREACHABLE_MESSAGE } from '@/lib/errors';
import { useSnackbar } from '@/stores/snackbar';
import { anInvoice } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import BillingHistoryPage from './BillingHistoryPage';

const LIST = '*/api/invoice/list';
const PDF = '*/api/invoice/pdf/:number';
const FILE = '*/api/invoice/download/:token';
const READY = () => HttpResponse.json({ downloadUrl: '/api/invoice/download/signed' });
const NOT_READY = () => refusal(503, 'invoice_not_ready', 'It is being made.', { retryAfter: 3 });

function show(invoices: Invoice[]) {
  server.use(http.get(LIST, () => HttpResponse.json(invoices)));
  return renderScreen(<BillingHistoryPage />, { at: '/billingHistory' });
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => anInvoice({ number: `${2000 - index}` }));

describe('the billing history', () => {
  it('has the columns, and the hint how to get an invoice', async () => {
    show([anInvoice()]);
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

  it.each<[string, Partial<Invoice>, string]>([
    ['a card', {}, '1001 PAID Nov 10, 2026 $6.99 USD Visa ending in 1111'],
    [
      'PayPal',
      { paymentSourceType: 'PAYPAL_EXPRESS_CHECKOUT', paypalEmail: 'gia@example.com' },
      '1001 PAID Nov 10, 2026 $6.99 USD PayPal gia@example.com',
    ],
    [
      'an unknown card',
      { cardBrand: 'JCB_DEBIT', last4: '0505' },
      '1001 PAID Nov 10, 2026 $6.99 USD Card ending in 0505',
    ],
    [
      'nothing yet',
      { status: 'PAYMENT_DUE', paymentSourceType: null, cardBrand: null, last4: null },
      '1001 PAYMENT DUE Nov 10, 2026 $6.99 USD Nothing was charged',
    ],
  ])('shows an invoice paid with %s', async (_case, differing, expected) => {
    show([anInvoice(differing)]);
    expect(await screen.findByRole('row', { name: `Download invoice ${expected}` })).toBeVisible();
  });

  it('shows the paid ones in green and every other one in grey', async () => {
    show([anInvoice(), anInvoice({ number: '1002', status: 'VOIDED' })]);
    expect(await screen.findByText('PAID')).toHaveClass('success');
    expect(screen.getByText('VOIDED')).toHaveClass('neutral');
  });

  it('says that it is empty, without the hint', async () => {
    show([]);
    expect(
      await screen.findByText(
        "Your billing history is currently empty. You haven't made any purchases yet. Start exploring our streaming plans!",
      ),
    ).toBeInTheDocument();
    expect(screen.queryByText(/To view and print/)).not.toBeInTheDocument();
  });

  it('says what failed and tries again', async () => {
    server.use(http.get(LIST, () => HttpResponse.json([anInvoice()])));
    server.use(http.get(LIST, () => refusal(500, 'internal_error', 'Broken.'), { once: true }));
    const { user } = renderScreen(<BillingHistoryPage />, { at: '/billingHistory' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Billing History' })).toBeInTheDocument();
  });

  it('shows hundreds a chunk at a time', async () => {
    const { user } = show(many(50));
    const table = await screen.findByRole('table');
    const rows = () => within(table).getAllByRole('row').length - 1;
    expect(rows()).toBe(24);
    await user.click(screen.getByRole('button', { name: /Show more/ }));
    expect(rows()).toBe(48);
    await user.click(screen.getByRole('button', { name: /Show more/ }));
    expect(rows()).toBe(50);
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
    let made = '';
    Object.assign(URL, {
      createObjectURL: (file: Blob) => {
        made = `${file.size} bytes`;
        return 'blob:invoice';
      },
      revokeObjectURL: () => undefined,
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    // jsdom cannot follow a link; what it would follow is what matters.
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      saved.push({ content: made, download: this.download });
    });
  });
  afterEach(() => vi.useRealTimers());

  const number = () => screen.findByRole('button', { name: 'Download invoice 1001' });

  it('saves the file under its name', async () => {
    server.use(http.get(PDF, READY));
    const { user } = show([anInvoice()]);
    await user.click(await number());
    await waitFor(() => expect(saved).toEqual([{ content: '8 bytes', download: 'invoice.pdf' }]));
    expect(fetched).toEqual(['signed']);
    expect(screen.getByText('Invoice 1001 is downloading.')).toBeInTheDocument();
  });

  it('waits as long as the server wishes while it is being made, and says so', async () => {
    const asked = vi.fn().mockImplementationOnce(NOT_READY).mockImplementation(READY);
    server.use(http.get(PDF, asked));
    const { user } = show([anInvoice()]);
    await user.click(await number());
    expect(screen.getByText('Preparing your invoice…')).toBeInTheDocument();
    expect(await number()).toHaveAttribute('aria-busy', 'true');
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(asked).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(await number()).not.toHaveAttribute('aria-busy');
  });

  it('asks once however often it is pressed', async () => {
    const asked = vi.fn(READY);
    server.use(http.get(PDF, asked));
    const { user } = show([anInvoice()]);
    await user.dblClick(await number());
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('asks for a number with a slash as one name', async () => {
    const asked: unknown[] = [];
    server.use(
      http.get(PDF, ({ params }) => {
        asked.push(params.number);
        return READY();
      }),
    );
    const { user } = show([anInvoice({ number: 'INV/7' })]);
    await user.click(await screen.findByRole('button', { name: 'Download invoice INV/7' }));
    await waitFor(() => expect(asked).toEqual(['INV/7']));
  });

  it('says what failed, and can be tried again', async () => {
    server.use(http.get(PDF, () => refusal(404, 'not_found', 'There is no such invoice.')));
    const { user } = show([anInvoice()]);
    await user.click(await number());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({
        severity: 'error',
        content: 'There is no such invoice.',
      }),
    );
    expect(await number()).not.toHaveAttribute('aria-busy');
    expect(saved).toEqual([]);
  });

  it('asks for another link where the first is good no more', async () => {
    const links = ['expired', 'fresh'];
    server.use(
      http.get(PDF, () =>
        HttpResponse.json({ downloadUrl: `/api/invoice/download/${links.shift()}` }),
      ),
      http.get('*/api/invoice/download/expired', () =>
        refusal(404, 'not_found', 'There is no such file.'),
      ),
    );
    const { user } = show([anInvoice()]);
    await user.click(await number());
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(fetched).toEqual(['fresh']);
  });

  it.each<[string, () => Response, string]>([
    ['is refused', () => refusal(500, 'internal_error', 'Broken.'), 'Broken.'],
    ['is not found again', () => refusal(404, 'not_found', 'No such file.'), 'No such file.'],
    ['does not come', () => HttpResponse.error(), UNREACHABLE_MESSAGE],
  ])('says so where the file %s', async (_case, answer, words) => {
    server.use(http.get(PDF, READY), http.get(FILE, answer));
    const { user } = show([anInvoice()]);
    await user.click(await number());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ severity: 'error', content: words }),
    );
    expect(await number()).not.toHaveAttribute('aria-busy');
    expect(saved).toEqual([]);
  });

  it('asks no more once one has left the screen', async () => {
    const asked = vi.fn(NOT_READY);
    server.use(http.get(PDF, asked));
    const { user, unmount } = show([anInvoice()]);
    await user.click(await number());
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    unmount();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(useSnackbar.getState().visible).toBe(false);
  });
});
