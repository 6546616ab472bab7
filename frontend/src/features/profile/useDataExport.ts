import { useEffect, useRef, useState } from 'react';
import { notifyError } from '@/lib/api/notifyError';
import { DOUBLE_CLICK_MS } from '@/lib/api/useCommand';
import { saveFile } from '@/lib/page/saveFile';
import { exportData } from './api';

const FILE_NAME = 'your-data.json';

function saveAsJson(data: unknown): void {
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), FILE_NAME);
}

/**
 * Downloads the subscriber's data. Ignores repeated clicks, and aborts when the screen unmounts.
 */
export function useDataExport() {
  const [isPreparing, setPreparing] = useState(false);
  const [message, setMessage] = useState('');
  const currentDownload = useRef<AbortController | null>(null);
  useEffect(() => () => currentDownload.current?.abort(), []);

  const download = async () => {
    if (currentDownload.current) return;
    const controller = new AbortController();
    currentDownload.current = controller;
    const release = () => {
      currentDownload.current = null;
    };
    setPreparing(true);
    setMessage('Preparing your data…');
    try {
      saveAsJson(await exportData(controller.signal));
      setMessage('Your data is downloading.');
      setTimeout(release, DOUBLE_CLICK_MS);
    } catch (error) {
      if (controller.signal.aborted) return;
      setMessage('');
      notifyError(error);
      release();
    } finally {
      setPreparing(false);
    }
  };
  return { isPreparing, message, download: () => void download() };
}
