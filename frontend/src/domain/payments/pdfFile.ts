import { hasCode } from '@/lib/api/errors';
import { getFile, getJson } from '@/lib/api/http';
import type { InvoiceDownload } from '@/lib/api/types';

const TRIES = 12;
const WAIT_SECONDS = { least: 1, usual: 2, longest: 10 };

/** A PDF that the server renders on request. */
export interface PdfFile {
  /** Where its short-lived link is requested. */
  path: string;
  /** What it is saved as. */
  fileName: string;
  /** The status for screen readers while it is prepared, and once it is downloading. */
  preparing: string;
  downloading: string;
}

export function invoicePdf(number: string): PdfFile {
  return {
    path: `/api/invoice/pdf/${encodeURIComponent(number)}`,
    fileName: 'invoice.pdf',
    preparing: 'Preparing your invoice…',
    downloading: `Invoice ${number} is downloading.`,
  };
}

export function creditNotePdf(number: string): PdfFile {
  return {
    path: `/api/invoice/credit-note/${encodeURIComponent(number)}`,
    fileName: 'credit-note.pdf',
    preparing: 'Preparing your credit note…',
    downloading: `Credit note ${number} is downloading.`,
  };
}

/** The invoices and refunds of a year. */
export function statementPdf(year: string): PdfFile {
  return {
    path: `/api/invoice/statement/${year}`,
    fileName: `statement-${year}.pdf`,
    preparing: 'Preparing your statement…',
    downloading: `Your ${year} statement is downloading.`,
  };
}

function retryDelaySeconds(retryAfter: number | null): number {
  const requested = retryAfter ?? WAIT_SECONDS.usual;
  return Math.min(WAIT_SECONDS.longest, Math.max(WAIT_SECONDS.least, requested));
}

/** Resolves after some seconds, or rejects as soon as the signal aborts. */
function waitUnlessAborted(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * Downloads a PDF. If the link has expired or what the PDF shows has changed, requests a new link
 * once.
 * @throws {ApiError} if the download fails, or if the PDF is not ready after a dozen attempts.
 */
export async function fetchPdf(file: PdfFile, signal: AbortSignal): Promise<Blob> {
  const link = await fetchReadyLink(file, signal);
  try {
    return await getFile(link, { signal });
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    return await getFile(await fetchReadyLink(file, signal), { signal });
  }
}

/** Polls for the link until the PDF is ready, at the interval that the server requests. */
async function fetchReadyLink({ path }: PdfFile, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await getJson<InvoiceDownload>(path, { signal })).downloadUrl;
    } catch (error) {
      if (!hasCode(error, 'invoice_not_ready') || attempt === TRIES) throw error;
      await waitUnlessAborted(retryDelaySeconds(error.retryAfter), signal);
    }
  }
}
