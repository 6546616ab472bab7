import { useEffect, useRef, useState } from 'react';

import { DOUBLE_CLICK_MS } from '@/lib/command';
import { notifyError } from '@/lib/notices';
import { saveFile } from '@/lib/saveFile';
import { exportData } from './api';

const FILE_NAME = 'your-data.json';

function save(data: unknown): void {
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), FILE_NAME);
}

/** Downloads everything the portal holds, once however often it is pressed; leaving the screen ends it. */
export function useExport() {
  const [isPreparing, setPreparing] = useState(false);
  const [message, setMessage] = useState('');
  const underWay = useRef<AbortController | null>(null);
  useEffect(() => () => underWay.current?.abort(), []);

  const download = async () => {
    if (underWay.current) return;
    const controller = new AbortController();
    underWay.current = controller;
    const release = () => {
      underWay.current = null;
    };
    setPreparing(true);
    setMessage('Putting your data together…');
    try {
      save(await exportData(controller.signal));
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
