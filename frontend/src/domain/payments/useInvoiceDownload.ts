import { useCallback, useEffect, useRef, useState } from 'react';

import { notifyError } from '@/lib/api/notifyError';
import { saveFile } from '@/lib/page/saveFile';
import { fetchInvoiceFile } from './invoiceFile';

const FILE_NAME = 'invoice.pdf';

interface InvoiceDownloads {
  download: (number: string) => void;
  /** The numbers of the invoices being downloaded. */
  preparing: readonly string[];
  /** The download status for screen readers. */
  message: string;
}

/**
 * Downloads invoices. Ignores repeated clicks while a download is running, and aborts when the
 * screen unmounts.
 */
export function useInvoiceDownload(): InvoiceDownloads {
  const [preparing, setPreparing] = useState<readonly string[]>([]);
  const [message, setMessage] = useState('');
  const controllers = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const { current: running } = controllers;
    return () => {
      for (const controller of running.values()) controller.abort();
      running.clear();
    };
  }, []);

  const download = useCallback(async (number: string) => {
    if (controllers.current.has(number)) return;
    const controller = new AbortController();
    controllers.current.set(number, controller);
    setPreparing([...controllers.current.keys()]);
    setMessage('Preparing your invoice…');
    try {
      saveFile(await fetchInvoiceFile(number, controller.signal), FILE_NAME);
      setMessage(`Invoice ${number} is downloading.`);
    } catch (error) {
      if (controller.signal.aborted) return;
      setMessage('');
      notifyError(error);
    } finally {
      controllers.current.delete(number);
      setPreparing([...controllers.current.keys()]);
    }
  }, []);

  return { download: (number) => void download(number), preparing, message };
}
