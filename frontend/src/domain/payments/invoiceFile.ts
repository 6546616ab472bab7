import { hasCode } from '@/lib/api/errors';
import { getFile, getJson } from '@/lib/api/http';
import type { InvoiceDownload } from '@/lib/api/types';

const TRIES = 12;
const WAIT_SECONDS = { least: 1, usual: 2, longest: 10 };

/**
 * Requests a short-lived link to an invoice's PDF. Throws `invoice_not_ready` while the PDF is
 * being rendered.
 */
function fetchDownloadLink(number: string, signal: AbortSignal): Promise<InvoiceDownload> {
  return getJson<InvoiceDownload>(`/api/invoice/pdf/${encodeURIComponent(number)}`, { signal });
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
 * Downloads an invoice's PDF. If the link has expired or the invoice has changed, requests a new
 * link once.
 * @throws {ApiError} if the download fails, or if the PDF is not ready after a dozen attempts.
 */
export async function fetchInvoiceFile(number: string, signal: AbortSignal): Promise<Blob> {
  const link = await fetchReadyLink(number, signal);
  try {
    return await getFile(link, { signal });
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    return await getFile(await fetchReadyLink(number, signal), { signal });
  }
}

/** Polls for the link until the PDF is ready, at the interval that the server requests. */
async function fetchReadyLink(number: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await fetchDownloadLink(number, signal)).downloadUrl;
    } catch (error) {
      if (!hasCode(error, 'invoice_not_ready') || attempt === TRIES) throw error;
      await waitUnlessAborted(retryDelaySeconds(error.retryAfter), signal);
    }
  }
}
