import { useCallback, useEffect, useRef, useState } from 'react';

import { notifyError } from '@/lib/notices';
import { saveFile } from '@/lib/saveFile';
import { invoiceFile } from './api';

const FILE_NAME = 'invoice.pdf';

interface InvoiceDownloads {
  download: (number: string) => void;
  /** The invoices whose file is awaited. */
  preparing: readonly string[];
  /** How it stands, for a screen reader. */
  message: string;
}

/** Downloads invoices, each once however often its button is pressed, until the screen is left. */
export function useInvoiceDownload(): InvoiceDownloads {
  const [preparing, setPreparing] = useState<readonly string[]>([]);
  const [message, setMessage] = useState('');
  const underWay = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const { current: started } = underWay;
    return () => {
      for (const controller of started.values()) controller.abort();
      started.clear();
    };
  }, []);

  const download = useCallback(async (number: string) => {
    if (underWay.current.has(number)) return;
    const controller = new AbortController();
    underWay.current.set(number, controller);
    setPreparing([...underWay.current.keys()]);
    setMessage('Preparing your invoice…');
    try {
      saveFile(await invoiceFile(number, controller.signal), FILE_NAME);
      setMessage(`Invoice ${number} is downloading.`);
    } catch (error) {
      if (controller.signal.aborted) return;
      setMessage('');
      notifyError(error);
    } finally {
      underWay.current.delete(number);
      setPreparing([...underWay.current.keys()]);
    }
  }, []);

  return { download: (number) => void download(number), preparing, message };
}
