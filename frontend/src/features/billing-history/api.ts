import type { InvoiceDownload } from '@/lib/api/types';
import { hasCode } from '@/lib/errors';
import { get, getFile } from '@/lib/http';

const TRIES = 12;
const WAIT_SECONDS = { least: 1, usual: 2, longest: 10 };

/** Where the PDF of an invoice is for the next minutes. Throws `invoice_not_ready` while it is being made. */
function downloadAddress(number: string, signal: AbortSignal): Promise<InvoiceDownload> {
  return get<InvoiceDownload>(`/api/invoice/pdf/${encodeURIComponent(number)}`, { signal });
}

function waitSeconds(retryAfter: number | null): number {
  const asked = retryAfter ?? WAIT_SECONDS.usual;
  return Math.min(WAIT_SECONDS.longest, Math.max(WAIT_SECONDS.least, asked));
}

/** Resolves after a time, or rejects as soon as the signal aborts. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, abandoned) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      abandoned(signal.reason);
    });
  });
}

/**
 * Reads an invoice's PDF. A link that is good no more, since it expired or the invoice has changed, is asked for
 * once more.
 * @throws {ApiError} when it fails, or is still not made after a dozen tries.
 */
export async function invoiceFile(number: string, signal: AbortSignal): Promise<Blob> {
  const address = await readyInvoice(number, signal);
  try {
    return await getFile(address, { signal });
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    return await getFile(await readyInvoice(number, signal), { signal });
  }
}

/** Asks for an invoice's PDF until it has been made, as long apart as the server wishes. */
async function readyInvoice(number: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await downloadAddress(number, signal)).downloadUrl;
    } catch (error) {
      if (!hasCode(error, 'invoice_not_ready') || attempt === TRIES) throw error;
      await pause(waitSeconds(error.retryAfter), signal);
    }
  }
}
