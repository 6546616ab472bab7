import { useCallback, useEffect, useRef, useState } from 'react';

import { notifyError } from '@/lib/api/notifyError';
import { DOUBLE_CLICK_MS } from '@/lib/api/useCommand';
import { saveFile } from '@/lib/page/saveFile';
import { fetchPdf, type PdfFile } from './pdfFile';

export interface PdfDownloads {
  download: (file: PdfFile) => void;
  isPreparing: (file: PdfFile) => boolean;
  /** The download status for screen readers. */
  message: string;
}

/**
 * Downloads invoices and statements. Ignores repeated clicks while a download is running, also the
 * second click of a double click after a quick answer, and aborts when the screen unmounts.
 */
export function usePdfDownload(): PdfDownloads {
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

  const download = useCallback(async (file: PdfFile) => {
    if (controllers.current.has(file.path)) return;
    const controller = new AbortController();
    controllers.current.set(file.path, controller);
    const release = () => controllers.current.delete(file.path);
    setPreparing((previous) => [...previous, file.path]);
    setMessage(file.preparing);
    try {
      saveFile(await fetchPdf(file, controller.signal), file.fileName);
      setMessage(file.downloading);
      setTimeout(release, DOUBLE_CLICK_MS);
    } catch (error) {
      if (controller.signal.aborted) return;
      setMessage('');
      notifyError(error);
      release();
    } finally {
      setPreparing((previous) => previous.filter((path) => path !== file.path));
    }
  }, []);

  return {
    download: (file) => void download(file),
    isPreparing: ({ path }) => preparing.includes(path),
    message,
  };
}
